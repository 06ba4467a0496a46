"""A page for staff that needs no network, runs nothing, and shows what students wrote as text."""

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --mark: #0072b2; --ground: #0072b222; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--line); }
td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
pre { overflow-x: auto; margin: 0; font-size: 0.85rem; }
pre span { display: block; padding-left: 0.5rem; border-left: 4px solid transparent; min-height: 1.5em; }
pre span.alike { border-left-color: var(--mark); background: var(--ground); }
meter { width: 8rem; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def page(title: str, body: str) -> str:
    """Return a whole HTML page.

    Args:
        title: its heading, as text that needs no escaping.
        body: HTML; whatever students wrote in it is escaped.
    """
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )
