"""The look of the links from scene to scene; each opens its page anew."""

from __future__ import annotations

LINK_STYLE = """
<style>
.tour-links {display: flex; gap: .5rem;}
.tour-links a {padding: .2rem .8rem; border: 1px solid #8886; border-radius: .4rem;
  text-decoration: none; color: inherit; white-space: nowrap;}
.tour-links a.is-next {background: var(--ink); border-color: var(--ink); color: var(--paper);}
.tour-links a:focus-visible {outline: 2px solid currentColor; outline-offset: 2px;}
.tour-scenes a {color: inherit;}
</style>
"""
