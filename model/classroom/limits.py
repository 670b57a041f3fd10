"""The limits of rooms; the table in docs/deployment.md has the same numbers.

No limit counts requests or wrong codes by address: behind a router or a proxy a school has one
address, and what one pupil uses up would be missing to all. Instead, codes are too many to be
guessed in a lesson, wrong ones are answered slowly if there are many, and a newcomer is never
refused: whoever uses least of what is scarce makes way.
"""

MAX_ROOMS = 200  # in this process
MAX_OF_READER = 20  # of them, opened from one browser tab
MAX_PHONES = 400  # of one room
IN_USE = 5  # requests of a room's phones, desk and projector within HERE_SECONDS: it is in use
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words; nothing that is read as a digit
N_LETTERS = 7
MAX_WRONG_AT_ONCE, WRONG_RATE = 200, 20  # wrong codes that do not wait: in a moment; a second
WRONG_SECONDS, MAX_WRONG_HELD = 2.0, 200  # that the others wait; how many do
MAX_CODE, MAX_KEY = 16, 64  # characters of a code and of a key that are looked up
MAX_NAME, MAX_WORD = 16, 40  # characters of a nickname, and of an answer
MAX_WORDS, MAX_OPTIONS, MAX_OPTION = 300, 8, 80  # of a question: characters; answers; their length
MAX_PHONE_BODY, MAX_DESK_BODY = 2_000, 100_000  # bytes of a request
MAX_BODY_SECONDS = 10.0  # in which a request's body has to come whole
MAX_ADDRESS = 300  # characters of an address that is drawn as a QR code
MIN_SECONDS_BETWEEN = 0.3  # answers of one phone
IDLE_SECONDS = 2 * 3600.0  # after which a room that nobody touched ends
ALONE_SECONDS = 300.0  # the same without phones and desk: a hidden tab asks once a minute
AWAY_SECONDS = 60.0  # without its desk, after which a room that nobody joined makes way first
HERE_SECONDS = 15.0  # a phone that asked within these is counted as here
JOINING_SECONDS = 3.0  # so is one that has joined and never asked, within these
