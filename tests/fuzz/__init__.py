"""Real files, damaged at random: nothing may crash, hang or eat memory, and every refusal is one of the engine's."""
