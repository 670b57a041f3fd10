"""The story that the pages share: a king and his bird. A later page goes on from an earlier one."""

KING = "Once there was a king who"  # greedy misses its likeliest text: tests/futures/test_page.py
BIRD = "Once there was a king. He had a bird. The bird's name was Max."
HOME = "The king hugged Max and they went home."  # its end
