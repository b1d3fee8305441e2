"""The view of a text: folded for reading, at the same length.

Lower case and half width, traditional characters as simplified ones, one kind of
apostrophe: an offset in the view is an offset in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache


def view_of(text: str) -> str:
    """Return the view of ``text``: folded, at the same length.

    >>> view_of("Ｄｏｎ’ｔ 必須！")
    "don't 必须!"
    """
    return text.translate(_folds()).lower()


# Traditional characters, each with its simplified one, that markers and their guards
# are written with.
_SIMPLIFIED = (
    "須须請请務务別别決决約约歡欢願愿記记準准後后專专項项統统採采與与過过這这為为麼么"
    "嗎吗們们應应該该從从來来沒没對对會会說说讓让寧宁傾倾於于頭头個个還还時时間间並并"
    "併并將将實实現现測测試试運运總总絕绝嚴严許许確确認认況况歸归動动開开關关啟启當当"
    "爭争據据裡里裏里幫帮給给問问題题嘗尝剛刚樣样點点兩两邊边處处變变產产類类庫库協协"
    "議议環环發发規规範范標标語语傳传達达慣惯觸触連连線线無无雲云異异聽听幾几誰谁誤误"
    "錯错誌志輸输報报訊讯覺觉難难簡简單单優优選选擇择較较談谈論论結结東东條条檔档慮虑"
    "轉转換换導导維维護护屬属憶忆溝沟團团隊队隱隐瞞瞒號号碼码證证憑凭鑰钥網网絡络裝装"
    "執执權权審审寫写讀读刪删儲储註注終终僅仅討讨厭厌愛爱萬万遠远隨随經经懷怀計计煩烦"
    "暫暂敗败掛挂壞坏滿满潰溃設设資资軟软習习禮礼舊旧見见圍围幣币門门穩稳鎖锁遲迟場场"
    "訴诉繼继續续謝谢賬账帳帐雙双長长顯显構构層层緩缓參参數数"
)


@lru_cache(maxsize=1)
def _folds() -> dict[int, str]:
    folds = {0xFF01 + i: chr(0x21 + i) for i in range(94)}
    folds.update({0x3000: " ", 0xA0: " ", 0x130: "i", 0xFF61: "。"})
    folds.update({ord(c): "'" for c in "’‘ʼ′"})
    folds.update({ord(c): "-" for c in "‐‑"})
    folds[ord("*")] = " "
    pairs = zip(_SIMPLIFIED[::2], _SIMPLIFIED[1::2], strict=True)
    folds.update({ord(old): new for old, new in pairs})
    return folds


HAN: re.Pattern[str]
KANA: re.Pattern[str]
_SCRIPTS = {
    "HAN": "[\u3400-\u9fff]",
    "KANA": "[\u3041-\u30ff\u31f0-\u31ff]",
}


def __getattr__(name: str) -> re.Pattern[str]:
    """Compile the pattern of a script when it is first asked for: 2.5 ms."""
    if name not in _SCRIPTS:
        raise AttributeError(name)
    pattern = globals()[name] = re.compile(_SCRIPTS[name])
    return pattern
