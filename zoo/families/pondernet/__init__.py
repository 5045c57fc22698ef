"""PonderNet (Banino, Balaguer & Blundell 2021)."""
