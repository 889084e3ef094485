"""Page accesses of TPC-C, from its specification (revision 5.11): rows, their sizes, and who reads which.

Rows of stock and customers are not equally popular: their numbers are drawn by NURand(A, 1, n), the bitwise or of
a uniform number up to A and one up to n (clause 2.1.6). Neighbouring rows share a page, so that pages are less
unequal than rows (Leutenegger and Dias, "A modeling study of the TPC-C benchmark", SIGMOD 1993). Tables of a few
megabytes (warehouse, district, item) are always in memory and left out.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from models.popularity import Numbers, Popularity, mixed, uniform

WAREHOUSE_BYTES = 100e6
"""Of a warehouse in InnoDB: 1,000 take about 100 GB, as both tpcc-mysql and sysbench-tpcc load them."""

ENTRY = 20
"""Bytes of an entry of an index, key and primary key; derived from their columns."""

ROWS_BYTES = 30_000 * (655 + 24 + 46 + 2 * ENTRY) + 300_000 * (54 + ENTRY) + 100_000 * (306 + ENTRY)
"""Of a warehouse: customers, orders, history, order lines, stock (clauses 1.2 and 4.2.2), and the indexes that
both tools make of customers, orders, stock and order lines. A page holds fewer rows as a warehouse takes more."""

STOCK, CUSTOMERS, DISTRICTS = 100_000, 3000, 10
"""Stock of a warehouse; customers of a district; districts of a warehouse."""

RECENT_PAGES = 6
"""Pages of a district that orders are added to and delivered from: ends of three tables, and the oldest
new order, order and order line."""

NEW_ORDER = PAYMENT = 10 / 23
RARE = 1 / 23
"""Shares of transactions, as tpcc-mysql and sysbench-tpcc deal them; order status, delivery and stock level are
rare (clause 5.2.3 asks for at least 43 % payments and 4 % of each of these)."""

BY_NAME = 0.6 * 3 + 0.4
"""Customers read to find one: by last name in 60 %, of which three are alike on average (clauses 2.5.1, 4.3.3)."""

ACCESSES = {
    "stock": NEW_ORDER * 10 + RARE * 200,
    "customers": NEW_ORDER + (PAYMENT + RARE) * BY_NAME + RARE * 10,
    "index of order lines": NEW_ORDER * 10,
    "index of orders": NEW_ORDER + RARE,
    "old order lines": RARE,
    "recent": NEW_ORDER * 3 + RARE * 10 * 3 + RARE,
}
"""Page accesses of a transaction. Ten items an order; 200 items of stock level; ten orders of a delivery. Order
lines are indexed by item, orders by customer, so that each is inserted at a place of its own."""

CHANGED = {
    "stock": NEW_ORDER * 10,
    "customers": PAYMENT + RARE * 10,
    "index of order lines": NEW_ORDER * 10,
    "index of orders": NEW_ORDER,
    "recent": NEW_ORDER * 3 + RARE * 10 * 3,
}
"""Those of them that change the page."""

GROUPS = 100
"""Groups of about equally popular pages of a table."""


@cache
def tpcc(data_bytes: int, page_bytes: int) -> Popularity:
    """Popularity of the pages of as many warehouses as ``data_bytes`` hold."""
    warehouses = data_bytes / WAREHOUSE_BYTES
    row_bytes = WAREHOUSE_BYTES / ROWS_BYTES  # of a byte of a row
    tables = {
        "stock": _table(nurand(8191, STOCK), page_bytes / (306 * row_bytes), warehouses),
        "customers": _table(nurand(1023, CUSTOMERS), page_bytes / (655 * row_bytes), warehouses * DISTRICTS),
        "index of order lines": _table(nurand(8191, STOCK), page_bytes / (3 * ENTRY * row_bytes), warehouses),
        "index of orders": uniform(warehouses * 30_000 * ENTRY * row_bytes / page_bytes),
        "old order lines": uniform(warehouses * 300_000 * 54 * row_bytes / page_bytes),
        "recent": uniform(max(1.0, warehouses * DISTRICTS * RECENT_PAGES)),
    }
    accesses = sum(ACCESSES.values())
    return mixed(*((ACCESSES[name] / accesses, table) for name, table in tables.items()))


@cache
def nurand(a: int, n: int) -> Numbers:
    """Probability of each of ``n`` rows under NURand(A, 1, n), shape (n,); its constant C only shifts them."""
    bits = a.bit_length()
    drawn = np.zeros(1 << max(bits, n.bit_length()))
    drawn[1 : n + 1] = 1.0 / n
    for bit in range(bits):  # a is all ones, so that each of its bits is set in half of the draws
        without = drawn.reshape(-1, 2, 1 << bit)
        without[:, 1] += without[:, 0] / 2.0
        without[:, 0] /= 2.0
    rows = np.zeros(n)
    np.add.at(rows, (np.arange(len(drawn)) - 1) % n, drawn)
    return rows


def _table(rows: Numbers, rows_of_page: float, copies: float) -> Popularity:
    """Pages of ``copies`` tables of such rows in the order of their numbers."""
    ends = np.minimum(np.arange(1, int(len(rows) / rows_of_page) + 2) * rows_of_page, len(rows))
    cumulated = np.interp(ends, np.arange(len(rows) + 1), np.concatenate(([0.0], np.cumsum(rows))))
    pages = np.sort(np.diff(cumulated, prepend=0.0))[::-1]
    pages = pages[pages > 0.0]
    chunks = np.array_split(pages, min(GROUPS, len(pages)))
    total = float(pages.sum())
    return Popularity(tuple((max(1.0, len(each) * copies), float(each.sum()) / total) for each in chunks))
