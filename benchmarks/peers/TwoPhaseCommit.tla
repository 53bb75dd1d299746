--------------------------- MODULE TwoPhaseCommit ---------------------------
\* Two-phase commit for the resource managers RM: the states and steps of
\* tests/systems/two_phase_commit.py, after TwoPhase by Gray and Lamport.
CONSTANT RM
VARIABLES phase, decision, heard, sent

vars == <<phase, decision, heard, sent>>

Init == /\ phase = [m \in RM |-> "working"]
        /\ decision = "open"
        /\ heard = {}
        /\ sent = {}

HearPrepared(m) == /\ decision = "open"
                   /\ <<"prepared", m>> \in sent
                   /\ heard' = heard \cup {m}
                   /\ UNCHANGED <<phase, decision, sent>>

DecideToCommit == /\ decision = "open"
                  /\ heard = RM
                  /\ decision' = "commit"
                  /\ sent' = sent \cup {<<"commit">>}
                  /\ UNCHANGED <<phase, heard>>

DecideToAbort == /\ decision = "open"
                 /\ decision' = "abort"
                 /\ sent' = sent \cup {<<"abort">>}
                 /\ UNCHANGED <<phase, heard>>

Prepare(m) == /\ phase[m] = "working"
              /\ phase' = [phase EXCEPT ![m] = "prepared"]
              /\ sent' = sent \cup {<<"prepared", m>>}
              /\ UNCHANGED <<decision, heard>>

AbortAlone(m) == /\ phase[m] = "working"
                 /\ phase' = [phase EXCEPT ![m] = "aborted"]
                 /\ UNCHANGED <<decision, heard, sent>>

HearCommit(m) == /\ <<"commit">> \in sent
                 /\ phase' = [phase EXCEPT ![m] = "committed"]
                 /\ UNCHANGED <<decision, heard, sent>>

HearAbort(m) == /\ <<"abort">> \in sent
                /\ phase' = [phase EXCEPT ![m] = "aborted"]
                /\ UNCHANGED <<decision, heard, sent>>

Next == \/ DecideToCommit
        \/ DecideToAbort
        \/ \E m \in RM : \/ HearPrepared(m) \/ Prepare(m) \/ AbortAlone(m)
                         \/ HearCommit(m) \/ HearAbort(m)

Consistent == \A a, b \in RM : ~(phase[a] = "committed" /\ phase[b] = "aborted")
=============================================================================
