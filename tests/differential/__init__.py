"""Random small systems that every engine has to agree on."""
