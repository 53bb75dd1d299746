-- Two-phase commit for N resource managers: the states and steps of tests/systems/two_phase_commit.py.
-- No scalarset: like the others, it explores every state.

const
  N: 3;

type
  Manager: 1 .. N;
  Phase: enum { working, prepared, committed, aborted };
  Decision: enum { open, to_commit, to_abort };

var
  phase: array[Manager] of Phase;
  decision: Decision;
  heard: array[Manager] of boolean;
  prepared_sent: array[Manager] of boolean;
  commit_sent: boolean;
  abort_sent: boolean;

startstate
begin
  for m: Manager do
    phase[m] := working;
    heard[m] := false;
    prepared_sent[m] := false;
  end;
  decision := open;
  commit_sent := false;
  abort_sent := false;
end;

ruleset m: Manager do
  rule "hear prepared" decision = open & prepared_sent[m] ==> begin heard[m] := true; end;
  rule "prepare" phase[m] = working ==> begin phase[m] := prepared; prepared_sent[m] := true; end;
  rule "abort alone" phase[m] = working ==> begin phase[m] := aborted; end;
  rule "hear commit" commit_sent ==> begin phase[m] := committed; end;
  rule "hear abort" abort_sent ==> begin phase[m] := aborted; end;
end;

rule "decide to commit" decision = open & forall m: Manager do heard[m] end ==>
begin decision := to_commit; commit_sent := true; end;

rule "decide to abort" decision = open ==>
begin decision := to_abort; abort_sent := true; end;

invariant "nobody commits while another aborts"
  !(exists m: Manager do phase[m] = committed end & exists m: Manager do phase[m] = aborted end);
