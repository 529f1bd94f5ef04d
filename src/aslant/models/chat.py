"""Chat models: sentences as the beginning of an answer, in the model's own format, with the beginning token once."""

from __future__ import annotations

import re
from typing import Any

from aslant.errors import DataError
from aslant.models.model_loading import first_sentence

#: What the user says, where nothing else is given: whatever sentence is measured can be the answer to it.
MESSAGE = "Write a sentence."
#: What templates read beside messages, so that they give the same text every day and no thoughts before the answer.
SETTINGS = {"date_string": "26 Jul 2024", "enable_thinking": False}


def message_of(chat: bool | str) -> str | None:
    """Return what the user says; None without a chat.

    >>> message_of(False), message_of(True), message_of("Go on.")
    (None, 'Write a sentence.', 'Go on.')
    """
    if isinstance(chat, str) and not chat.strip():
        raise DataError("chat is an empty text; give what the user says, or True.")
    return chat if isinstance(chat, str) else MESSAGE if chat else None


def frame_of(tokenizer: Any, name: str, message: str) -> str:
    """Return all that stands before the answer in a model's own chat format, markup included."""
    if not getattr(tokenizer, "chat_template", None):
        raise DataError(f"'{name}' has no chat template, so it is not a chat model; leave chat out.")
    said = [{"role": "user", "content": message}]
    try:
        frame = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True, **SETTINGS)
    except Exception as error:  # a template is a program of the model's, and fails in any way
        raise DataError(f"the chat template of '{name}' cannot be used: {first_sentence(error)}.") from None
    if not isinstance(frame, str) or message not in frame:
        raise DataError(f"the chat template of '{name}' leaves out what the user says, so it cannot be used.")
    return frame


def markup_of(tokenizer: Any) -> tuple[re.Pattern[str], list[int]]:
    """Return what finds markup (or the beginning token) at the start of a text, and the tokens to put before markup.

    That is the beginning token where the model's own chat format begins with it, or where it has none.
    """
    added = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
    tokens = sorted({*added, *tokenizer.all_special_tokens} - {""}, key=len, reverse=True)
    found = re.compile("|".join(map(re.escape, tokens)) or r"(?!)")
    begin = tokenizer.bos_token
    if begin is None:
        return found, []
    if getattr(tokenizer, "chat_template", None):
        try:
            framed = frame_of(tokenizer, "", MESSAGE).startswith(begin)
        except DataError:
            framed = True
        return found, [int(tokenizer.bos_token_id)] if framed else []
    return found, [int(tokenizer.bos_token_id)]
