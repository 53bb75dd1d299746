"""A lowered program as the text of one LLVM module: successors, properties, finality.

The functions (all pointers are to 64-bit words unless noted; see ``native`` for how they are called):

``expand(design, state, out, u32* instance, events, n_events, taken) -> count``
    Writes the state's successors to ``out`` and the instance each comes from to ``instance``, in instance order.
    What else happened goes to ``events``; ``taken[action]`` grows by the action's successors.
``check(design, state, truths, failures, pending)``, ``step(design, state, after, truths, failures, pending)``
    Truth values of the state properties, of the step properties, and whether computing them failed: bit i % 64 of word i // 64
    for ``predicates[i]``. Those that are not ``pending`` may be left at 0. Returns 0.
``label(design, state, truths, failures, pending)``
    The same for ``labels``.
``final(design, state) -> bits``
    Bit 0: a state without a step is fine here. Bit 1: computing that failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from explorer.compiler.dag import Node, cone
from explorer.compiler.llvm_terms import Terms, type_of
from explorer.compiler.packing import Packing
from explorer.compiler.program import Failure, Predicate, Program, Transition

# The kinds of events, and an event's bits: (instance << 32) | (kind << 28) | number.
FAILURE, SOFT, CUT, BROKEN = 0, 1, 2, 3
KIND_SHIFT, INSTANCE_SHIFT = 28, 32
NUMBER_MASK = (1 << KIND_SHIFT) - 1

# The kinds of properties that are neither invariants nor evaluated on one state.
STEP_INVARIANT, REACHABLE = "step_invariant", "reachable"

# Guards repeat each other's terms, and instances in one function share them (measured: a fifth of the terms is left); but
# the optimising code generator takes time more than linear in a function's length.
_CHUNK_NODES = 10_000

_POINTERS = "ptr noalias readonly %design, ptr noalias readonly %state"
_OUTPUTS = "ptr noalias %out, ptr noalias %instance, ptr noalias %events, ptr noalias %n_events, ptr noalias %taken"
_MASKS = "ptr noalias %truths, ptr noalias %failures, ptr noalias readonly %pending"
_AFTER = "ptr noalias readonly %after"


def module_text(program: Program, packing: Packing) -> str:
    """The module, a pure function of the program: the same text for the same program."""
    lines: list[str] = []
    chunks = list(_chunks(program.transitions))
    for number, chunk in enumerate(chunks):
        lines += _expand_chunk(program, packing, number, chunk)
    lines += _expand(len(chunks))
    lines += _final(packing, program.final)
    on_states = [i for i, p in enumerate(program.predicates) if p.kind != STEP_INVARIANT]
    on_steps = [i for i, p in enumerate(program.predicates) if p.kind == STEP_INVARIANT]
    lines += _properties(packing, "check", program.predicates, on_states, "")
    lines += _properties(packing, "step", program.predicates, on_steps, f", {_AFTER}")
    lines += _properties(packing, "label", program.labels, range(len(program.labels)), "")
    return "\n".join(lines) + "\n"


# Successors


def _chunks(transitions: Sequence[Transition]) -> Iterator[range]:
    """Runs of instances that share a function: whole terms are shared inside, compile time stays linear."""
    start = size = 0
    for number, transition in enumerate(transitions):
        cost = len(cone(_roots(transition))) + 10
        if size and size + cost > _CHUNK_NODES:
            yield range(start, number)
            start, size = number, 0
        size += cost
    if size:
        yield range(start, len(transitions))


def _roots(transition: Transition) -> list[Node]:
    conditions = [f.condition for f in (*transition.failures, *transition.soft, *transition.cuts)]
    return [transition.disabled, *conditions, *transition.updates.values()]


def _expand(chunks: int) -> list[str]:
    """The function that asks every chunk in turn."""
    lines = [f"define i64 @expand({_POINTERS}, {_OUTPUTS}) nounwind {{"]
    count = "0"
    arguments = ", ".join(f"ptr %{name}" for name in _names(f"{_POINTERS}, {_OUTPUTS}"))
    for number in range(chunks):
        lines.append(f"  %n{number} = call i64 @chunk{number}({arguments}, i64 {count})")
        count = f"%n{number}"
    return [*lines, f"  ret i64 {count}", "}", ""]


def _expand_chunk(program: Program, packing: Packing, number: int, chunk: range) -> list[str]:
    terms = Terms(packing)
    count = first = "%count"
    terms.label("entry")
    for i in chunk:
        count = _instance(program, packing, terms, i, count)
        action = program.instances[i][0]
        if i + 1 not in chunk or program.instances[i + 1][0] != action:
            _add(terms, "%taken", action, terms.value(f"sub i64 {count}, {first}"))
            first = count
    terms.line(f"ret i64 {count}")
    head = f"define internal i64 @chunk{number}({_POINTERS}, {_OUTPUTS}, i64 %count) nounwind {{"
    return [head, *terms.lines, "}", ""]


def _instance(program: Program, packing: Packing, terms: Terms, number: int, count: str) -> str:
    """One instance's step; the number of successors after it.

    Only the guard is computed in the blocks that every later instance passes; the rest is behind a branch.
    """
    transition = program.transitions[number]
    disabled = terms.operand(transition.disabled)
    if disabled == "true":
        return count
    after = f"after{number}"
    # The blocks that lead to the end of the instance, with the number of successors in each.
    ways: list[tuple[str, str]] = []
    with terms.scope():
        if disabled != "false":
            ways.append((count, terms.block))
            terms.line(f"br i1 {disabled}, label %{after}, label %enabled{number}")
            terms.label(f"enabled{number}")
        _soft(terms, number, transition.soft)
        if _hard(terms, program, number, transition):
            ways.append((count, f"fails{number}"))
        _successor(packing, terms, number, transition, count)
        ways.append((terms.value(f"add i64 {count}, 1"), terms.block))
        terms.line(f"br label %{after}")
    terms.label(after)
    return terms.value("phi i64 " + ", ".join(f"[{v}, %{b}]" for v, b in ways))


def _soft(terms: Terms, number: int, soft: Sequence[Failure]) -> None:
    """Events of the failures that do not end the step."""
    for i, failure in enumerate(soft):
        happens = terms.operand(failure.condition)
        if happens == "false":
            continue
        terms.line(f"br i1 {happens}, label %soft{number}_{i}, label %quiet{number}_{i}")
        terms.label(f"soft{number}_{i}")
        _event(terms, str(_code(number, SOFT, failure.failure)))
        terms.line(f"br label %quiet{number}_{i}")
        terms.label(f"quiet{number}_{i}")


def _hard(terms: Terms, program: Program, number: int, transition: Transition) -> bool:
    """The event of the first failure or cut that ends the step; whether there is any that can."""
    ends = [(f.condition, _code(number, FAILURE, f.failure)) for f in transition.failures]
    ends += [(f.condition, _code(number, CUT, f.failure)) for f in transition.cuts]
    ends += [(c, _code(number, BROKEN, leaf)) for c, leaf in _out_of_range(program, transition)]
    conditions = [terms.operand(condition) for condition, _ in ends]
    possible = [(c, code) for c, (_, code) in zip(conditions, ends, strict=True) if c != "false"]
    if not possible:
        return False
    fails = possible[0][0]
    for condition, _ in possible[1:]:
        fails = terms.value(f"or i1 {fails}, {condition}")
    terms.line(f"br i1 {fails}, label %fails{number}, label %goes{number}")
    terms.label(f"fails{number}")
    code = str(possible[-1][1])
    for condition, other in reversed(possible[:-1]):
        code = terms.value(f"select i1 {condition}, i64 {other}, i64 {code}")
    _event(terms, code)
    terms.line(f"br label %after{number}")
    terms.label(f"goes{number}")
    return True


def _out_of_range(program: Program, transition: Transition) -> Iterator[tuple[Node, int]]:
    """Conditions under which an update would not fit its leaf.

    The transition's own range failures exclude them; a value that slipped through would change the leaf's neighbours in the
    word, so it is reported as an internal error instead.
    """
    dag = program.dag
    for index, node in transition.updates.items():
        leaf = program.leaves[index]
        if not node.bool and (node.low < leaf.low or node.high > leaf.high):
            low, high = dag.number(leaf.low), dag.number(leaf.high)
            yield dag.or_(dag.lt(node, low), dag.lt(high, node)), index


def _successor(
    packing: Packing, terms: Terms, number: int, transition: Transition, count: str
) -> None:
    """Store the successor: the words of the state with the changed leaves replaced."""
    fixed: dict[int, int] = {}
    cleared: dict[int, int] = {}
    moved: dict[int, list[str]] = {}
    for index in sorted(transition.updates):
        node, field = transition.updates[index], packing.fields[index]
        if not field.width:
            continue
        cleared[field.word] = cleared.get(field.word, 0) | field.mask << field.shift
        if node.is_const:
            fixed[field.word] = (
                fixed.get(field.word, 0) | (node.value - field.low & field.mask) << field.shift
            )
            continue
        have = type_of(node)
        operand = terms.operand(node)
        if field.low:
            operand = terms.convert(operand, have, "i64")
            operand = terms.value(f"sub i64 {operand}, {field.low}")
        elif have != "i64":
            # Without an offset the value is not negative here.
            operand = terms.value(f"zext {have} {operand} to i64")
        if field.shift:
            operand = terms.value(f"shl i64 {operand}, {field.shift}")
        moved.setdefault(field.word, []).append(operand)
    base = terms.value(f"mul i64 {count}, {packing.words}") if packing.words > 1 else count
    row = terms.value(f"getelementptr i64, ptr %out, i64 {base}")
    for index in range(packing.words):
        word = terms.word(index)
        if index in cleared:
            word = terms.value(f"and i64 {word}, {~cleared[index] & (1 << 64) - 1}")
            for operand in moved.get(index, ()):
                word = terms.value(f"or i64 {word}, {operand}")
            if fixed.get(index):
                word = terms.value(f"or i64 {word}, {fixed[index]}")
        place = terms.value(f"getelementptr i64, ptr {row}, i64 {index}") if index else row
        terms.line(f"store i64 {word}, ptr {place}, align 8")
    place = terms.value(f"getelementptr i32, ptr %instance, i64 {count}")
    terms.line(f"store i32 {number}, ptr {place}, align 4")


def _code(instance: int, kind: int, number: int) -> int:
    return instance << INSTANCE_SHIFT | kind << KIND_SHIFT | number


def _event(terms: Terms, code: str) -> None:
    count = terms.value("load i64, ptr %n_events, align 8")
    place = terms.value(f"getelementptr i64, ptr %events, i64 {count}")
    terms.line(f"store i64 {code}, ptr {place}, align 8")
    more = terms.value(f"add i64 {count}, 1")
    terms.line(f"store i64 {more}, ptr %n_events, align 8")


def _add(terms: Terms, base: str, index: int, amount: str) -> None:
    place = terms.value(f"getelementptr i64, ptr {base}, i64 {index}")
    old = terms.value(f"load i64, ptr {place}, align 8")
    terms.line(f"store i64 {terms.value(f'add i64 {old}, {amount}')}, ptr {place}, align 8")


# Properties


def _final(packing: Packing, predicate: Predicate) -> list[str]:
    """A function that returns bit 0: holds; bit 1: computing that failed."""
    terms = Terms(packing)
    terms.label("entry")
    failed = terms.any([f.condition for f in predicate.failures])
    holds = terms.operand(predicate.holds)
    low = terms.value(f"zext i1 {holds} to i64")
    high = terms.value(f"select i1 {failed}, i64 2, i64 0")
    terms.line(f"ret i64 {terms.value(f'or i64 {low}, {high}')}")
    return [f"define i64 @final({_POINTERS}) nounwind {{", *terms.lines, "}", ""]


def _properties(
    packing: Packing, name: str, predicates: Sequence[Predicate], numbers: Sequence[int], after: str
) -> list[str]:
    """The function that computes the predicates with the given numbers, and those that it calls.

    What is pending changes rarely. Invariants stay pending, so they are computed together and share their terms; each witness
    is behind a branch, since most are found soon.
    """
    groups = [
        *_groups(predicates, [n for n in numbers if predicates[n].kind != REACHABLE]),
        *_groups(predicates, [n for n in numbers if predicates[n].kind == REACHABLE]),
    ]
    parameters = f"{_POINTERS}{after}, {_MASKS}"
    arguments = ", ".join(f"ptr %{name}" for name in _names(parameters))
    lines: list[str] = []
    main = Terms(packing)
    main.label("entry")
    for word in range(-(-len(predicates) // 64)):
        for base in ("truths", "failures"):
            main.line(f"store i64 0, ptr {_cell(main, base, word)}, align 8")
    for k, group in enumerate(groups):
        terms = Terms(packing)
        terms.label("entry")
        if predicates[group[0]].kind == REACHABLE:
            for n in group:
                with _branch(terms, [n], f"p{n}"), terms.scope():
                    _truths(terms, predicates, [n])
        else:
            _truths(terms, predicates, group)
        terms.line("ret i64 0")
        head = f"define internal i64 @{name}{k}({parameters}) nounwind {{"
        lines += [head, *terms.lines, "}", ""]
        with _branch(main, group, f"g{k}"):
            main.value(f"call i64 @{name}{k}({arguments})")
    main.line("ret i64 0")
    return [*lines, f"define i64 @{name}({parameters}) nounwind {{", *main.lines, "}", ""]


def _groups(predicates: Sequence[Predicate], numbers: Sequence[int]) -> Iterator[list[int]]:
    """The numbers in parts that share a function: of one word of the masks, and not too long."""
    group: list[int] = []
    size = 0
    for n in numbers:
        cost = len(cone([predicates[n].holds, *(f.condition for f in predicates[n].failures)]))
        if group and (group[0] // 64 != n // 64 or size + cost > _CHUNK_NODES):
            yield group
            group, size = [], 0
        group.append(n)
        size += cost
    if group:
        yield group


@contextmanager
def _branch(terms: Terms, numbers: Sequence[int], label: str) -> Iterator[None]:
    """What is written inside runs if one of the numbers is pending."""
    mask = sum(1 << n % 64 for n in numbers)
    pending = terms.value(f"load i64, ptr {_cell(terms, 'pending', numbers[0] // 64)}, align 8")
    any_of = terms.value(f"icmp ne i64 {terms.value(f'and i64 {pending}, {mask}')}, 0")
    terms.line(f"br i1 {any_of}, label %{label}, label %past_{label}")
    terms.label(label)
    yield
    terms.line(f"br label %past_{label}")
    terms.label(f"past_{label}")


def _truths(terms: Terms, predicates: Sequence[Predicate], numbers: Sequence[int]) -> None:
    """Add the predicates' bits to the masks. All are in the same word."""
    word = numbers[0] // 64
    for base in ("truths", "failures"):
        bits = []
        for n in numbers:
            if base == "truths":
                holds = terms.operand(predicates[n].holds)
            else:
                holds = terms.any([f.condition for f in predicates[n].failures])
            if holds == "true":
                bits.append(str(1 << n % 64))
            elif holds != "false":
                bits.append(terms.value(f"select i1 {holds}, i64 {1 << n % 64}, i64 0"))
        if bits:
            cell = _cell(terms, base, word)
            all_of = terms.value(f"load i64, ptr {cell}, align 8")
            for bit in bits:
                all_of = terms.value(f"or i64 {all_of}, {bit}")
            terms.line(f"store i64 {all_of}, ptr {cell}, align 8")


def _cell(terms: Terms, base: str, index: int) -> str:
    return terms.value(f"getelementptr i64, ptr %{base}, i64 {index}")


def _names(parameters: str) -> Iterable[str]:
    """The names in a parameter list made of pointers."""
    return [p.rsplit("%", 1)[1] for p in parameters.split(", ")]
