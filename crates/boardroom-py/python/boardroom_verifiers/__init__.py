"""The games of Boardroom as a taskset of verifiers: ``vf-eval boardroom-verifiers``.

verifiers finds tasksets by the name of a module that is in no package; see :mod:`boardroom.verifiers`.
"""

from boardroom.verifiers import BoardroomConfig, BoardroomEnv, BoardroomTask, BoardroomTaskset

__all__ = ["BoardroomConfig", "BoardroomEnv", "BoardroomTask", "BoardroomTaskset"]
