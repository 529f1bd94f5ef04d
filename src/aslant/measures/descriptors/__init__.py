"""How likely a language model finds descriptors of people: HolisticBias (Smith et al. 2022)."""
