"""System ``raft-sql``: transactions of a distributed SQL database with three Raft replicas."""

from models.systems.raft_sql.system import RAFT_SQL

__all__ = ["RAFT_SQL"]
