"""System ``raft-sql``: transactions of a distributed SQL database whose data lie on three replicas by Raft."""

from models.systems.raft_sql.system import RAFT_SQL

__all__ = ["RAFT_SQL"]
