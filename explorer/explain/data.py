"""Explanations as JSON."""

from __future__ import annotations

from explorer.explain.blocked import Obstacle
from explorer.explain.causes import CYCLE, PROPERTY
from explorer.explain.explanation import Explanation, Fate
from explorer.explain.fate import Turn
from explorer.explain.threads import Thread, Waiting
from explorer.lang.run import Instance
from explorer.lang.text import Json
from explorer.trace.blame import Blame
from explorer.trace.replay import params_of, thread_of

_NAMED: dict[int, Json] = {PROPERTY: "property", CYCLE: "cycle"}
SCHEMA = "slotcheck.explanation/1"


def to_json(explanation: Explanation) -> dict[str, Json]:
    """The explanation as one object; nothing in it depends on the machine or the time, unless a limit was hit."""
    run, found = explanation.rerun, explanation.slice
    trace = run.trace
    data: dict[str, Json] = {
        "schema": SCHEMA,
        "system": trace.system,
        "property": trace.property_name,
        "kind": trace.kind,
        "length": run.length,
        "complete": explanation.complete,
        "blame": None if trace.blame is None else _blame(trace.blame),
        "explanation": list(trace.explanation),
        "steps": [_step(explanation, number) for number in range(1, run.length + 1)],
        "slice": None
        if found is None
        else {"steps": list(found.steps), "alone": found.alone, "problem": found.problem},
        "point_of_no_return": None if explanation.fate is None else _fate(explanation.fate),
        "threads": None,
        "warnings": [
            *(["the model's source has changed"] if not run.same_source else []),
            *([explanation.uncompiled] if explanation.uncompiled else []),
            *explanation.words.complaints,
        ],
    }
    if explanation.held:
        data["held"] = [
            {"fair": h.name, "after": h.after, **_waiting(h.waiting)} for h in explanation.held
        ]
    if trace.message is not None:
        data["message"] = trace.message
    if trace.loop is not None:
        data["loop"] = trace.loop
    if trace.instance is not None:
        data["instance"] = trace.instance
    if explanation.moment is not None:
        data["threads"] = {
            "after": explanation.moment.after,
            "threads": [_thread(t) for t in explanation.moment.threads],
        }
    return data


def _blame(blame: Blame) -> Json:
    return {
        "text": blame.text,
        "is": not blame.expected,
        "premises": list(blame.premises),
        "bindings": dict(blame.bindings),
        "reads": dict(blame.reads),
        "in": list(blame.via),
        "line": blame.line,
    }


def _step(explanation: Explanation, number: int) -> Json:
    run, found = explanation.rerun, explanation.slice
    step = run.trace.steps[number - 1]
    wrote = () if found is None else found.wrote.get(number, ())
    data: dict[str, Json] = {
        "thread": step.thread,
        "action": step.action,
        "parameters": dict(step.params),
        "words": explanation.words.step(run.played.taken[number - 1]),
        "matters": None if found is None else number in found.steps,
        "changes": [{"place": p, "old": old, "new": new} for p, old, new in step.changes],
        "read_later": [
            {"place": w.place, "by": [_NAMED.get(r, r) for r in w.readers]} for w in wrote
        ],
    }
    if number < len(run.played.states):
        rendering = explanation.words.state(run.played.states[number])
        if rendering is not None:
            data["state"] = rendering
    return data


def _fate(fate: Fate) -> Json:
    return {
        "answers": [_turn(turn) for turn in fate.turns],
        "undecided": fate.undecided,
        "between": None if fate.between is None else list(fate.between),
        "states": fate.states,
        "complete": fate.complete,
    }


def _turn(turn: Turn) -> Json:
    escape = turn.escape
    return {
        "runs": turn.assumption,
        "step": None if turn.never else turn.last + 1,
        "way_out": None
        if escape is None
        else {"steps": [_instance(i) for i in escape.steps], "loop": escape.loop},
    }


def _thread(thread: Thread) -> Json:
    return {
        "thread": thread.name,
        "takes": None if thread.took is None else _instance(thread.took),
        "enabled": [{**_instance(e.instance), "ends": e.ends} for e in thread.enabled],
        "disabled": [_waiting(w) for w in thread.waiting],
    }


def _waiting(waiting: Waiting) -> dict[str, Json]:
    found = waiting.obstacle
    return {**_instance(waiting.instance), "needs": None if found is None else _needs(found)}


def _needs(obstacle: Obstacle) -> Json:
    return {"text": obstacle.text, "reads": dict(obstacle.reads), "line": obstacle.line}


def _instance(instance: Instance) -> dict[str, Json]:
    return {
        "thread": thread_of(instance),
        "action": instance.action.name,
        "parameters": params_of(instance),
    }
