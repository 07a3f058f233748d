"""Schemes of one's own: a class says where writes go, what is reclaimed and what a pause is for."""

from slcache.scheme.base import Reclaim, Region, Scheme, dense, option, reclaim, slc

__all__ = ["Reclaim", "Region", "Scheme", "dense", "option", "reclaim", "slc"]
