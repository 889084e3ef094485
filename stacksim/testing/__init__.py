"""Checks that a package outside runs on its own layers, systems and cache policies, in one line each.

    from stacksim.testing import check_layer

    def test_compress():
        check_layer(Compress, ratio=0.25)

Each raises ``AssertionError`` with what does not hold, and ``InputError`` for what cannot be built.
"""

from stacksim.testing.layers import check_layer
from stacksim.testing.policies import check_policy
from stacksim.testing.systems import check_system

__all__ = ["check_layer", "check_policy", "check_system"]
