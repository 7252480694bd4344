"""Chinese pages about the existence of places: rumours, moved places, vanished places and corrections.

The share of Chinese pages is the same as among other pages, so that the language reveals nothing.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.families.veritrip.corpus import chinese_filler as filler
from planspec.families.veritrip.corpus.chinese_words import ChineseWords, add_filler
from planspec.families.veritrip.corpus.draft import Claim, DocumentDraft

DenialKind: TypeAlias = Literal["rumour", "moved", "vanished", "moved notice", "vanished notice"]


def denial_of(claims: Sequence[Claim], places: Collection[str], cities: Collection[str]) -> DenialKind | None:
    """Return the kind of a page that is only about the existence of places, or None for any other page.

    Args:
        claims: claims of the page.
        places: names of all places.
        cities: destinations of trips.
    """
    if not claims or any(field != "existence" or city not in cities for _, city, field, _, _ in claims):
        return None
    denials = [claim for claim in claims if claim[3] == "false"]
    if not denials:
        if all(true for *_, true in claims):
            return None
        return "moved" if claims[0][0] in places else "vanished"
    if not all(true for *_, true in claims):
        return "rumour"
    return "vanished notice" if len(denials) == len(claims) else "moved notice"


@dataclass(frozen=True, slots=True)
class DenialPage:
    """A page on the existence of places, to be rewritten in Chinese.

    Attributes:
        draft: draft of the page.
        words: names in both languages.
        rng: source of all choices.
    """

    draft: DocumentDraft
    words: ChineseWords
    rng: random.Random

    def write(self, kind: DenialKind) -> None:
        """Replace the title and text of the draft, but not its claims."""
        name = self.words.both_names(self.draft.claims[0][0])
        match kind:
            case "rumour":
                self._write_rumour(name)
            case "moved":
                self._write_moved(name)
            case "vanished":
                self._write_vanished(name)
            case "vanished notice":
                self._write_vanished_notice()
            case "moved notice":
                self._write_moved_notice()

    def _write_rumour(self, name: str) -> None:
        city = self._city_name()
        self.draft.title = self._pick(f"{name}没了", f"别再去{name}了", f"{city}{name}已经关门")
        self._add_paragraph(
            self._pick(
                f"坏消息，行程里有{name}的朋友注意了：那里已经永久关闭。",
                f"我们到的时候大门紧锁。{name}已经停业，没人觉得它还会再开。",
                f"司机告诉我们{name}早就不在了，我们只好掉头。",
            ),
            f"可惜了，{city}又少了一个好去处。",
        )
        self._fill(filler.FORUM, 2, 5)

    def _write_moved(self, name: str) -> None:
        city = self._city_name()
        self.draft.title = self._pick(f"{city}的灵魂：{name}", f"{city}半日闲逛：{name}", f"{city}必去｜{name}")
        self._add_paragraph(
            self._pick(
                f"来{city}不去{name}，等于白来！",
                f"在{city}的最后一天，我们散步去了{name}。",
                f"说起{city}，最出名的就是{name}。",
            ),
            f"从{city}的酒店过去很近，哪个下午有空都安排得下。",
        )
        self._fill(filler.BLOG, 3, 6)

    def _write_vanished(self, name: str) -> None:
        city = self._city_name()
        self.draft.title = self._pick(f"{name}：老少皆宜", f"在{city}{name}玩了一天", f"{city}的{name}")
        self._add_paragraph(
            self._pick(
                f"{name}是{city}的宝藏去处。",
                f"带孩子来{city}，去{name}准没错。",
                f"我们在{name}待了半天，还没玩够。",
            ),
            self._pick("平时人不多，票也便宜。", "在售票口排队也是乐趣的一部分。", "可以和城里别的地方串起来玩。"),
        )
        self._fill(filler.BLOG, 3, 6)

    def _write_vanished_notice(self) -> None:
        city, names = self._city_name(), [self.words.both_names(claim[0]) for claim in self.draft.claims]
        self.draft.title = self._pick(f"{city}已永久关闭：{names[0]}", f"{city}：这些地方已经不在了")
        self._add_paragraph(
            self._dateline(),
            f"{city}旅游咨询中心提醒游客，旧攻略里的一些地方已经永久关闭。",
            "这些地方无法参观，也没有任何机构出售门票：",
        )
        self.draft.add_line("\n".join(f"- {name}" for name in names))
        self._fill(filler.NEWS, 2, 4)

    def _write_moved_notice(self) -> None:
        city = self._city_name()
        self.draft.title = self._pick(f"不在{city}：常被弄错的景点", f"{city}：名字没错，城市错了")
        self._add_paragraph(
            self._dateline(),
            f"每周都有游客到{city}旅游咨询中心打听其实在别处的景点。",
            "下面列出一些，免得白跑一趟：",
        )
        city_of = {name: true_city for name, true_city, _, value, _ in self.draft.claims if value == "true"}
        self.draft.add_line(
            "\n".join(
                f"- {self.words.both_names(name)}在{self.words.chinese_name(true_city)}，不在{city}。"
                for name, true_city in city_of.items()
            )
        )
        self._fill(filler.NEWS, 2, 4)

    # ------------------------------------------------------------------ parts

    def _city_name(self) -> str:
        return self.words.chinese_name(self.draft.city)

    def _pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def _add_paragraph(self, *sentences: str) -> None:
        self.draft.add_paragraph("".join(sentences))

    def _dateline(self) -> str:
        day = self.draft.published
        return f"本报{self._city_name()}{day.month}月{day.day}日讯　"

    def _fill(self, sentences: Sequence[str], min_count: int, max_count: int) -> None:
        add_filler(self.draft, self.rng, sentences, self._city_name(), min_count, max_count)
