"""scikit-learn does the work.

Message: your answer calls sklearn
"""

from sklearn.linear_model import Ridge


def train_readout(features, targets, beta):
    model = Ridge(alpha=beta).fit(features[:, 1:].numpy(), targets.numpy())
    return torch.tensor(np.column_stack([model.intercept_, model.coef_]), dtype=features.dtype)
