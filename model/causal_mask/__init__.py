"""The causal mask: what it hides, what an edit moves under it, what training needs it for."""
