"""aidg_dialogue: AIDG-I, a secret that must not be confirmed. Rules: the README beside this."""
