"""What the lessons share: session state, controls, the live component."""
