"""A class answers by phone: the room, its questions and answers, and the class as one predictor."""
