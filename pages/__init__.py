"""What a person sees: the only package that knows Streamlit."""
