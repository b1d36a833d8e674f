"""vpstop: why is this multi-node PyTorch job slow?"""

__version__ = "0.1.0"
