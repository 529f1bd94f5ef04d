"""What debiasing leaves behind (Gonen & Goldberg 2019)."""
