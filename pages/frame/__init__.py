"""What the pages share: layout, jobs, steppers, links, models, figures."""
