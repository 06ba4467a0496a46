"""Written with a while loop, numpy and argmax."""


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    last, alive = np.full(batch_size, bos), set(range(batch_size))
    paths, total, doubt = (
        [[] for _ in range(batch_size)],
        np.zeros(batch_size),
        np.zeros(batch_size, dtype=int),
    )
    closest = np.full(batch_size, np.inf)
    position = 0
    while alive and position < max_length:
        log_probs, state = step(torch.from_numpy(last), state)
        for i, row in enumerate(log_probs.numpy()):
            last[i] = row.argmax()
            if i not in alive:
                continue
            paths[i].append(int(last[i]))
            total[i] += row[last[i]]
            gap = row[last[i]] - np.delete(row, last[i]).max()
            if gap < closest[i]:
                closest[i], doubt[i] = gap, position
            if last[i] == eos:
                alive.remove(i)
        position += 1
    return [(paths[i], total[i], doubt[i]) for i in range(batch_size)]
