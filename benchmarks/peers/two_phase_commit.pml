/* Two-phase commit for N resource managers, 1 to 9: the states and steps of
   tests/systems/two_phase_commit.py. One process takes all steps, in one place of its code, so that a
   state is the variables alone. Sets are bit masks; a manager's phase is a bit in two of them:
   working 00, prepared 01, committed 10, aborted 11. */

#ifndef N
#define N 3
#endif
#define ALL ((1 << N) - 1)

#define OPEN 0
#define COMMITTED 1
#define ABORTED 2

byte decision = OPEN;
bit commit_sent, abort_sent;
unsigned heard : N;
unsigned prepared_sent : N;
unsigned low : N;
unsigned high : N;

#define MANAGER(m) \
  :: d_step { decision == OPEN && (prepared_sent & (1 << m)) -> heard = heard | (1 << m) } \
  :: d_step { !((low | high) & (1 << m)) -> low = low | (1 << m); prepared_sent = prepared_sent | (1 << m) } \
  :: d_step { !((low | high) & (1 << m)) -> low = low | (1 << m); high = high | (1 << m) } \
  :: d_step { commit_sent -> low = low & (ALL - (1 << m)); high = high | (1 << m) } \
  :: d_step { abort_sent -> low = low | (1 << m); high = high | (1 << m) }

active proctype system() {
  do
  :: d_step { decision == OPEN && heard == ALL -> decision = COMMITTED; commit_sent = 1 }
  :: d_step { decision == OPEN -> decision = ABORTED; abort_sent = 1 }
  MANAGER(0)
#if N > 1
  MANAGER(1)
#endif
#if N > 2
  MANAGER(2)
#endif
#if N > 3
  MANAGER(3)
#endif
#if N > 4
  MANAGER(4)
#endif
#if N > 5
  MANAGER(5)
#endif
#if N > 6
  MANAGER(6)
#endif
#if N > 7
  MANAGER(7)
#endif
#if N > 8
  MANAGER(8)
#endif
  od
}
