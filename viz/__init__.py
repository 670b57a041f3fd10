"""What draws: records in, figures and tables out. Knows neither torch nor Streamlit."""
