"""Who may connect and what they may do: SASL mechanisms, credentials, principals, ACLs. No I/O."""
