"""What two ids over one trace must not do to each other's readers."""

from __future__ import annotations

from explorer.lang import invariant, reachable, step_invariant
from model.aliases import Export, Exports
from model.state import Time


@invariant
def no_reader_is_stranded_by_a_reexport(s: Exports) -> bool:
    """Once an id is published, its readers' point has the trace, or will never get it (A1.Q1, B1)."""
    return all(
        s.readers[id].point is None or s.agents[id] is None or s.points[given_point(s, id)].backed
        for id in Export
    )


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
def a_shared_trace_serves_its_readers(s: Exports) -> bool:
    """The trace is not compacted beyond the time of a dataflow that reads it (C1)."""
    return all(
        (at := s.readers[id].at) is None or not s.points[given_point(s, id)].backed or s.since <= at
        for id in Export
    )


@invariant
def a_shared_point_admits_no_more_than_its_trace(s: Exports) -> bool:
    """What a point admits can be served (C54)."""
    return all(not s.points[p].backed or s.since <= s.points[p].since for p in Export)


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
