"""Written with loops: one word at a time, over the words that it may look at."""


def self_attention(x, keep, itself=True):
    batch, time, _ = x.shape
    contexts, rows = [], []
    for b in range(batch):
        for i in range(time):
            seen = [j for j in range(time) if keep[b, j] and (itself or j != i)]
            row = torch.zeros(time, dtype=x.dtype)
            if seen:
                row = row.index_add(0, torch.tensor(seen), torch.softmax(x[b, seen] @ x[b, i], dim=0))
            rows.append(row)
            contexts.append(row @ x[b])
    return torch.stack(contexts).reshape(x.shape), torch.stack(rows).reshape(batch, time, time)
