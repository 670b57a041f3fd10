"""A parent that asks a child which waits for what does not come, until it is killed."""

from model.machine.child import Child

if __name__ == "__main__":
    Child("tests.attack.waiting", seconds=600).ask()
