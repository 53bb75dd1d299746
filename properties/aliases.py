"""What two ids over one trace must not do to each other's readers."""

from __future__ import annotations

from explorer.lang import invariant, reachable, step_invariant
from model.aliases import Export, Exports, is_published
from model.state import Time


@invariant
def no_reader_is_stranded_by_a_reexport(s: Exports) -> bool:
    """Once an id is published, its readers' point has the trace, or will never get it (A1.Q1, B1)."""
    return all(
        s.readers[id].point is None or s.agents[id] is None or s.points[given_point(s, id)].backed
        for id in Export
    )


@invariant
def every_id_has_a_point_of_its_own(s: Exports) -> bool:
    """A re-export's id does not lead to the point of its source (C39, R1)."""
    return s.bound[Export.REEXPORT] != Export.SOURCE


@invariant
def no_legal_read_is_refused(s: Exports) -> bool:
    """What the trace serves, and the controller has not given up, its point admits (A1.Q2, B2)."""
    return all(
        s.readers[id].point is None
        or not s.points[given_point(s, id)].backed
        or s.points[given_point(s, id)].since <= max(s.readers[id].frontier, s.since)
        for id in Export
    )


@invariant
def the_trace_serves_what_a_peer_may_ask_for(s: Exports) -> bool:
    """The trace is not compacted beyond what the interactive runtime has applied for an id (A1.Q2, B3, C6)."""
    return all(
        s.readers[id].point is None
        or s.agents[id] is None
        or not s.points[given_point(s, id)].backed
        or s.since <= s.readers[id].frontier
        for id in Export
    )


@invariant
def a_trace_serves_its_agents(s: Exports) -> bool:
    """The trace is not compacted beyond what an agent of the maintenance runtime holds (C54, C56, B31)."""
    return all((agent := s.agents[id]) is None or s.since <= agent for id in Export)


@invariant
def a_shared_trace_serves_its_readers(s: Exports) -> bool:
    """The trace is not compacted beyond the time of a dataflow that reads it (C1)."""
    return all(
        (at := s.readers[id].at) is None or not s.points[given_point(s, id)].backed or s.since <= at
        for id in Export
    )


@invariant
def a_shared_point_admits_no_more_than_its_trace(s: Exports) -> bool:
    """What a point admits can be served (C54)."""
    return all(not is_published(s, p) or s.since <= s.points[p].since for p in Export)


@invariant
def no_hold_is_left_for_an_id_that_is_gone(s: Exports) -> bool:
    """When both runtimes have dropped the source, nothing at its point holds the trace on its account (C14, C40)."""
    return (
        not s.readers[Export.SOURCE].dropped
        or is_published(s, Export.SOURCE)
        or s.agents[Export.REEXPORT] is None
        or all(s.holds[Export.SOURCE][id] is None for id in Export)
    )


@step_invariant
def a_published_since_never_regresses(before: Exports, after: Exports) -> bool:
    """A point does not admit again what it refused (C57)."""
    return all(
        not before.points[p].backed or before.points[p].since <= after.points[p].since
        for p in Export
    )


@reachable
def both_ids_are_read_at_different_times(s: Exports) -> bool:
    """Two readers, one of each id, and neither at the other's time."""
    source = s.readers[Export.SOURCE].at
    again = s.readers[Export.REEXPORT].at
    return source is not None and again is not None and source != again and s.since > Time.first()


@reachable
def a_late_reader_moves_no_since(s: Exports) -> bool:
    """One id is read late, the other one from the start: nobody has allowed any compaction (C55)."""
    return (
        s.readers[Export.SOURCE].at == Time.last()
        and s.readers[Export.REEXPORT].at == Time.first()
        and all(s.allowed[id] == Time.first() for id in Export)
        and all(not s.points[p].backed or s.points[p].since == Time.first() for p in Export)
    )


@reachable
def a_read_is_admitted_at_the_since(s: Exports) -> bool:
    """The point is compacted, and what the reader holds is exactly what is left (C51)."""
    return any(
        (at := s.readers[id].at) is not None
        and at == s.points[given_point(s, id)].since
        and at > Time.first()
        for id in Export
    )


@reachable
def a_live_reader_lets_the_trace_compact(s: Exports) -> bool:
    """Both ids are read by dataflows that have read on, and the trace has followed them (C62)."""
    return s.since > Time.first() and all(
        (at := s.readers[id].at) is not None and at >= s.since for id in Export
    )


@reachable
def the_readers_own_point_is_backed(s: Exports) -> bool:
    """A re-export is published at a point that its reader may have made (A1.Q1, R3)."""
    return (
        s.agents[Export.REEXPORT] is not None
        and s.readers[Export.REEXPORT].point == Export.REEXPORT
        and s.points[Export.REEXPORT].backed
    )


@reachable
def the_reexport_outlives_its_source(s: Exports) -> bool:
    """The source was dropped, and the trace compacts with the re-export (C40, C42)."""
    agent = s.agents[Export.REEXPORT]
    return s.agents[Export.SOURCE] is None and agent is not None and s.since == agent > Time.first()


@reachable
def the_ids_are_compacted_apart(s: Exports) -> bool:
    """The controller allowed one id what it did not allow the other, and both runtimes know."""
    return any(
        s.readers[id].frontier > s.readers[other].frontier
        and (mine := s.agents[id]) is not None
        and (its := s.agents[other]) is not None
        and mine > its
        for id in Export
        for other in Export
    )


@reachable
def the_reader_was_first_at_the_reexport(s: Exports) -> bool:
    """It made the point that the re-export is to be published at (A1.4)."""
    return s.bound[Export.REEXPORT] == Export.REEXPORT and s.agents[Export.REEXPORT] is None


@reachable
def a_hold_on_one_id_keeps_the_trace_for_it(s: Exports) -> bool:
    """Both agents are further than the trace: a hold keeps it back."""
    return all((agent := s.agents[id]) is not None and agent > s.since for id in Export)


def given_point(s: Exports, id: Export) -> Export:
    """The point that the id's peer leads to; of the id itself where there is none."""
    point = s.readers[id].point
    return id if point is None else point
