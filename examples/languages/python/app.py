import wit_world

class WitWorld(wit_world.WitWorld):
    def total(self, values):
        return sum(values)
