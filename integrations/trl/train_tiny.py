"""A few steps of GRPO with a tiny random model on the CPU: `python train_tiny.py [STEPS]`.

The model knows no language. Its vocabulary has pieces of the prompts and a few moves. A move is a whole tool call or a
whole answer, and the model samples only moves. Thus even a model of two layers produces calls, right answers and wrong
answers, and learns which of them are rewarded. Each reward is compared with the verdict of `planspec verify` on the
same text.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    PreTrainedTokenizerFast,
    PrinterCallback,
    Qwen3Config,
    Qwen3ForCausalLM,
    TrainerCallback,
    set_seed,
)
from trl import GRPOConfig, GRPOTrainer

import planspec
from planspec_trl import PlanspecSuite

SUITE = "travelplanner-small"
TASKS = 2
TEMPLATE = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
"""Chat template with tools. TRL can parse its tool calls."""
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")


def moves(suite: PlanspecSuite) -> list[str]:
    """Return the model's moves as texts: a call, the right answers, an empty plan, and a refusal."""
    call = json.dumps({"name": "CitySearch", "arguments": {"state": "Alder"}})
    right = [
        json.dumps(planspec.encode(source, planspec.solve(source).plan)) for source in suite.train_dataset["source"]
    ]
    return [f"<tool_call>\n{call}\n</tool_call>", *right, "[]", "I cannot plan this trip."]


def tokenizer_of(suite: PlanspecSuite, move_texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that is trained on the prompts. Each move is one token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1500, initial_alphabet=alphabet, special_tokens=list(CONTROL), show_progress=False
    )
    tokenizer.train_from_iterator(
        (message["content"] for row in suite.train_dataset["prompt"] for message in row), trainer
    )
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in (*move_texts, *MARKS)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = TEMPLATE.read_text("utf-8")
    return fast


def model_of(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """Return a model of two layers with random weights."""
    shape = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        tie_word_embeddings=False,
    )
    return Qwen3ForCausalLM(shape)


class ComparedReward:
    """A reward function that calls the suite's reward function, and compares each reward with `planspec verify`.

    Attributes:
        rewards: all rewards so far.
    """

    __name__ = "planspec"

    def __init__(self, suite: PlanspecSuite) -> None:
        self._suite = suite
        self.rewards: list[float] = []

    def __call__(
        self, completions: Sequence[Sequence[dict[str, Any]]], source: Sequence[str], **columns: Any
    ) -> list[float]:
        rewards = self._suite.planspec_reward(completions, source=source, **columns)
        for reward, messages, task in zip(rewards, completions, source, strict=True):
            last = messages[-1]
            text = last["content"] if last["role"] == "assistant" and not last.get("tool_calls") else ""
            verdict = planspec.verify(task, text or "")
            if reward != (verdict.status == "pass"):
                raise AssertionError(f"{task}: {reward} was paid, and planspec verify says: {verdict.status}")
        self.rewards += rewards
        return rewards


class Log(TrainerCallback):
    """Callback that prints one line for each step."""

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **more: Any) -> None:
        if logs and "reward" in logs:
            names = (
                "reward",
                "planspec/hard",
                "planspec/delivered",
                "planspec/calls",
                "completions/mean_length",
            )
            print(
                f"step {state.global_step:3}  " + "  ".join(f"{name} {logs[name]:.3f}" for name in names),
                flush=True,
            )


def main(steps: int) -> None:
    """Train, and print the rewards of each step."""
    set_seed(0)
    suite = PlanspecSuite(SUITE, limit=TASKS)
    move_texts = moves(suite)
    tokenizer = tokenizer_of(suite, move_texts)
    model = model_of(tokenizer)
    allowed = {tokenizer.eos_token_id, *(tokenizer.convert_tokens_to_ids(text) for text in move_texts)}
    reward_function = ComparedReward(suite)
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            reward_funcs=[reward_function],
            train_dataset=suite.train_dataset,
            environment_factory=suite.environment_factory,
            callbacks=[Log()],
            args=GRPOConfig(
                output_dir=folder,
                max_steps=steps,
                num_generations=16,
                per_device_train_batch_size=16,
                gradient_accumulation_steps=2,
                learning_rate=1e-2,
                lr_scheduler_type="constant",
                beta=0.0,
                max_completion_length=512,
                max_tool_calling_iterations=2,
                temperature=1.0,
                logging_steps=1,
                report_to="none",
                save_strategy="no",
                use_cpu=True,
                bf16=False,
                disable_tqdm=True,
                seed=0,
                generation_kwargs={"suppress_tokens": [each for each in range(len(tokenizer)) if each not in allowed]},
            ),
        )
        print(
            f"{sum(each.numel() for each in model.parameters())} parameters, {len(tokenizer)} tokens, {len(move_texts)} moves"
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    passed = int(sum(reward_function.rewards))
    print(f"{len(reward_function.rewards)} rewards, {passed} of them 1; each is what planspec verify says")


if __name__ == "__main__":
    torch.set_num_threads(2)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
