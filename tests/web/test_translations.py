"""Every text has its Chinese, twice, in the right script; no tool of GNU gettext is needed to know it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polib
import pytest
from django.test import Client
from django.utils.translation import override
from django.utils.translation.template import templatize

from playground.templatetags.waterline import log_groups
from playground.whatif import shipped

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("zh_Hans", "zh_Hant")
DOMAINS = ("django", "djangojs")
FILES = [(language, domain) for language in LANGUAGES for domain in DOMAINS]

SIMPLIFIED = frozenset(
    "与专业东丝丢两严个丰临为举么义乐习书买乱争产亲仅从仓们价众优会传伤伦伪体余佣侦侧俩债倾偿储儿党关兴养"
    "兽内写军农冲决况冻净减凑几凭击刘则刚创删别剂剑剧劝办务动励劲劳势区医华协单卖卢卫厂厅历压厌县参双发变"
    "叶号叹听启呐员响哑唤啰团园围国图圆圣场坏块坚坛坝坟垒垫墙声处备复头夹夺奋奖妆妇妈姗娱学宁实宠审宪宫宽"
    "宾对寻导寿将尔尘尝尽层属岁岂岛岭帅师帐带帮广庆库应庙废开异弃张弥弯弹强归当录彻径忆忧怀态总恋恶悬惊惯"
    "愿懒戏战扑执扩扫扬扰抚抛护报担拟拥择挂挡挥损换据掷摆摇撑敌数断无旧时显晓暂术机杀杂权条来杨极构枪标栈"
    "栏树样档桥检楼横欢欧残毁毕气汇汉汤沟没泪泽浅浊测济浓涂润涨渐湾湿滚滞满滤灭灯灵点炼烟烧热爱牵状独狭狮"
    "玛环现电画畅疗盐监盖盘码础硕确离种积称稳穷窃竞笔筛签简类粮紧纠红纤约级纪纯纲纳纵纷纸纹线练组细织终绍"
    "经结绕绘给络绝统继绩绪续维综缓编缘缩网罗职联脑腾节范荐药获虑虚虽补装见观规视览觉触誉计订认让议讯记讲"
    "许论设访证评识诉词译试诚话询该详语误说请读课谁调谈谢谱负财责败货质购贯贴贵费资赋赏赖赛赢赵趋跃践踪车"
    "轨转轮软轴轻载较辆辑输边达过运还这进远连迟适选递逻遗邮邻郑采释针钟钢钥钮钱铁铃银铺链销锁错键镜长门闪"
    "闭问闲间闸闻阈队阳阴阵阶际陆陈陕险随隐难静韩页顶项顺须顾顿预频题颜额风飞饭饮馆驱验骤鱼鲁鸟鸣麦黄齐龙"
)
"""Characters that only the simplified script has."""

TRADITIONAL = frozenset(
    "並佇併來倉個們側備傳債傷傾僅價優儲內兩冊凍別刪則剛創動務勞勢匯區協參員問啟喚單嗎嚴國圍園圓圖團執報場"
    "塊墊壓壘壞夠夾奪奬學實審寫寬將專尋對導層屬島師帶幫幾庫廢廣張強彈彎後徑從復惡態慣憶應懶戰戶捨掃掛採換"
    "揮損擇擊擋據擬擴擺擾攝攤敗敵數斷於時晝暫書會東條棄極構槍樓標樣機橫檔檢檻權歡歲歷歸殘殺毀氣決沒況淺減"
    "測湊準溫滅滯滾滿漲漸潤濃濟濾灑灣為無煙熱燈爭爲牆狀獨獲現環產畫當療發盡監盤確碼礎種稱積穩窮筆節範築簡"
    "簽籤糧紀約紅納純紙級細終組結絕給統經綠維網緊緒線編緩練縮縱總績織繞繪繼續羅聯聲職聽脈腦與興舉舊莊華萬"
    "葉藥處虛號衝補裝裡製複見規視覺覽觀觸訂計訊訖記訪設許訴註評詞詢試話該詳誌認語誤說誰課調談請論講證識譯"
    "議讀變讓負財貨責貴買費貼資質賴購賽車軸較載輔輕輪輯輸轉轍辦這連週進遊運過達違遞遠適遲遷選遺還邊鄰釋針"
    "銷鋼錄錯鍵鎖鏈鏡鐘鐵長門閉開閒間閘閱關陣陰陳陸隊階際隨險隱雖雙雜離難電靜響頁頂項順須預頓頭頻題額顏願"
    "類顧顯風飛餘館馬騰驅驗驟體鬥麼點黨齊龍"
)
"""Characters that only the traditional script has."""

MAINLAND = (
    "隊列 消息 磁盤 內存 文件 設置 默認 字節 服務器 鏈接 加載 程序 緩存 信息 軟件 硬件 網絡 數據 日志 打開 "
    "導出 復制 視圖 運行 會話 生產者 宕機 進程 線程 字段 屏幕 調用 接口 內核 數組 變量 函數 響應 打印 刷新 "
    "計算機 光標 菜單 窗口 鼠標 點擊 拖動 圖標 界面 異步 事務 全局 標識 吞吐 實時 匹配 激活 模塊 端口 協議 "
    "套接字 集群 存儲 字符 布爾 缺省 兼容 登錄 賬 信號 回滾 緩存 支持 質量 優化 分辨率 智能 鏈路 遍歷 在線 "
    "內置 插件 命令行 通過"
)
"""What people in Taiwan call otherwise, in traditional characters."""

LEFTOVERS = "複制 總數里 兩則線 則記錄 髮 隻 裏 麵 纔 乾完 映象 影象 則路 重新整理 平臺 舞臺 占用"
"""What a conversion character by character makes of 发 只 里 面 才 干完 映像 图像 两条路 刷新, and of 台 and 占."""

TAIWANESE = (
    "伫列 讯息 位元组 当机 储存 即时 透过 通道 资料 记忆体 伺服器 程式 软体 硬体 网路 滑鼠 视窗 萤幕 使用者 "
    "连线 执行绪 行程 变数 函式 列印 登入 帐号 预设 巢状 阵列 字串 讯号 物件 资讯 支援 最佳化 影像 品质 介面 "
    "选单 搜寻 连结 撷取"
)
"""What people on the mainland call otherwise, in simplified characters."""

PLACES = re.compile(r"%\(\w+\)s|%%|\{\w+\}")
PYTHON_CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
PYTHON_CALLS_WITH_CONTEXT = {"pgettext", "pgettext_lazy"}
TEMPLATE_TEXT = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
TEMPLATE_CALL = re.compile(rf"(?:pgettext\({TEMPLATE_TEXT},\s*|(?<!p)gettext\(){TEMPLATE_TEXT}")
SCRIPT_CALL = re.compile(r"\bn?gettext\(\s*(?P<text>\"(?:[^\"\\]|\\.)*\"\s*[,)])?")


@cache
def catalogue(language: str, domain: str) -> polib.POFile:
    """Return a file of translations, without those that are kept though nobody says them any more."""
    path = ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"
    found = polib.pofile(str(path))
    for entry in found.obsolete_entries():
        found.remove(entry)
    return found


def texts(entry: polib.POEntry) -> list[str]:
    """Return the translations of an entry: one, as Chinese has no plural."""
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def in_context(text: str, context: str | None) -> str:
    """Return a text with its context in front, where it has one: one English word can have two translations."""
    return f"{context}: {text}" if context else text


def in_python() -> Iterator[str]:
    """Find the texts that Python marks, with their contexts."""
    for path in sorted(
        path for package in ("engine", "playground") for path in (ROOT / package).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in PYTHON_CALLS and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)
            if node.func.id in PYTHON_CALLS_WITH_CONTEXT:
                yield in_context(ast.literal_eval(node.args[1]), ast.literal_eval(node.args[0]))


def in_templates() -> Iterator[str]:
    """Find the texts that templates mark, as Django itself reads them."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for context, literal in TEMPLATE_CALL.findall(templatize(path.read_text("utf-8"))):
            text = ast.literal_eval(literal)
            yield in_context(text, ast.literal_eval(context)) if context else text


def in_scripts() -> Iterator[str]:
    """Find the texts that the page's scripts mark; each must be one literal, or nobody could collect it."""
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        source = path.read_text("utf-8")
        if path.name == "text.js":  # where gettext itself is
            continue
        for call in SCRIPT_CALL.finditer(source):
            line = source.count("\n", 0, call.start()) + 1
            assert call["text"], f"{path.relative_to(ROOT)}:{line}: not a literal in double quotes"
            yield json.loads(call["text"].rstrip(",)").rstrip())


FOUND = {"django": (in_python, in_templates), "djangojs": (in_scripts,)}


@pytest.mark.parametrize(("language", "domain"), FILES)
def test_the_files_hold_what_the_sources_mark(language: str, domain: str) -> None:
    marked = {text for find in FOUND[domain] for text in find()}
    kept = {in_context(entry.msgid, entry.msgctxt) for entry in catalogue(language, domain)}
    assert marked - kept == set(), "run `make messages`, and translate what it adds"
    assert kept - marked == set(), "run `make messages`: nobody says this any more"


@pytest.mark.parametrize(("language", "domain"), FILES)
def test_every_text_is_translated(language: str, domain: str) -> None:
    found = catalogue(language, domain)
    assert found.metadata["Plural-Forms"] == "nplurals=1; plural=0;"
    assert [entry.msgid for entry in found if entry.fuzzy] == []
    assert [entry.msgid for entry in found if not all(texts(entry))] == []


@pytest.mark.parametrize(("language", "domain"), FILES)
def test_translations_have_the_same_places(language: str, domain: str) -> None:
    for entry in catalogue(language, domain):
        places = sorted(PLACES.findall(entry.msgid_plural or entry.msgid))
        for text in texts(entry):
            assert sorted(PLACES.findall(text)) == places, entry.msgid


@pytest.mark.parametrize(("language", "domain"), FILES)
def test_translations_are_in_their_script(language: str, domain: str) -> None:
    foreign = {"zh_Hans": TRADITIONAL, "zh_Hant": SIMPLIFIED}[language]
    wrong = {
        entry.msgid: "".join(sorted(foreign.intersection("".join(texts(entry)))))
        for entry in catalogue(language, domain)
        if foreign.intersection("".join(texts(entry)))
    }
    assert wrong == {}


@pytest.mark.parametrize(("language", "domain"), FILES)
def test_marks_beside_chinese_are_chinese(language: str, domain: str) -> None:
    """Commas, colons and brackets of Latin texts are narrower, and stand at another height."""
    latin = re.compile("(?<=[\u4e00-\u9fff])[,;:!?(]|[,;:!?)](?=[\u4e00-\u9fff])")
    wrong = [text for entry in catalogue(language, domain) for text in texts(entry) if latin.search(text)]
    assert wrong == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_traditional_chinese_has_the_words_of_taiwan(domain: str) -> None:
    wrong = {
        text: word
        for entry in catalogue("zh_Hant", domain)
        for text in texts(entry)
        for word in MAINLAND.split()
        if word in text
    }
    assert wrong == {}


@pytest.mark.parametrize("domain", DOMAINS)
def test_both_scripts_have_the_same_numbers_and_names(domain: str) -> None:
    """What stays as it is, such as q1, delta or 2 048, is the same in both."""
    latin = re.compile(r"[A-Za-z_]+|\d+")
    traditional = {(entry.msgctxt, entry.msgid): texts(entry) for entry in catalogue("zh_Hant", domain)}
    for entry in catalogue("zh_Hans", domain):
        for simple, other in zip(texts(entry), traditional[entry.msgctxt, entry.msgid], strict=True):
            assert sorted(latin.findall(simple)) == sorted(latin.findall(other)), entry.msgid


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("zh-hans", "条消息已 ack"), ("zh-hant", "則訊息已 ack")])
def test_the_scripts_get_the_translations(client: Client, language: str, words: str) -> None:
    answer = client.get("/i18n/catalog.js", headers={"accept-language": language}).content.decode()
    forms = re.search(r'"%\(n\)s message acknowledged": (\[.*?\])', answer, re.DOTALL)
    assert forms is not None
    assert words in json.loads(forms[1])[0]


@pytest.mark.parametrize(
    ("language", "mirrors", "acks", "group"),
    [("zh-hans", "无镜像", "不 ack", "消息"), ("zh-hant", "無鏡像", "不 ack", "訊息")],
)
def test_a_word_of_two_meanings_has_two_translations(
    language: str, mirrors: str, acks: str, group: str
) -> None:
    with override(language):
        assert str(shipped.WORDS["ha_mode", "none"]) == mirrors
        assert str(shipped.WORDS["consumer_ack", "auto"]) == acks
        assert str(dict(log_groups())["messages"]) == group
