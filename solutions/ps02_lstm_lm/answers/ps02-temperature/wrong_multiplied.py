"""The temperature multiplies the logits.

Message: You multiplied by the temperature; divide by it
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return (logits * temperature).softmax(dim=-1)
