"""What brokers are told: coalescing outboxes and the messages made from them."""
