"""How much of its processors a virtual machine was not given: a latency measured meanwhile is not the program's."""


class Stolen:
    """Since it was made."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        """(stolen, all) in ticks; see proc_stat(5)."""
        with open("/proc/stat", encoding="ascii") as stat:
            ticks = [int(word) for word in stat.readline().split()[1:9]]
        return ticks[7], sum(ticks)

    def percent(self):
        (stolen, everything), (stolen_before, before) = self.read(), self.before
        return f"{100 * (stolen - stolen_before) / max(1, everything - before):.0f} %"
