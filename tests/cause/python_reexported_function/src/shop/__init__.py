from .price import total
