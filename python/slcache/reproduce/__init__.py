"""Reproducing a paper's evaluation: what to run, what was claimed, what came out.

Each paper is a folder of data, `slcache/experiments/NAME/`: `plan.toml` says what is run and
drawn, `claims.toml` what the paper says. This package runs the plan, keeps every result so that
an interrupted evaluation resumes, and compares the figures with the claims.
"""

from slcache.reproduce.evaluation import evaluate
from slcache.reproduce.ledger import PaperEvaluation
from slcache.reproduce.plan import Plan, papers

__all__ = ["PaperEvaluation", "Plan", "evaluate", "papers"]
