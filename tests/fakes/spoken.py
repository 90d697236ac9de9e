"""The same few sentences in many languages, and the encodings that people have written them in."""

from __future__ import annotations

SPOKEN = {
    "german": (
        "Die Straße führt über die Brücke. Schöne Grüße aus München, wo es während des Frühstücks regnete. "
        "Für die Prüfung müssen alle Schüler früh aufstehen; größere Änderungen würden später erklärt.\n"
        "Der Bäcker verkauft süße Brötchen, und die Gäste hören natürlich ungewöhnlich schöne Musik.\n"
    ),
    "french": (
        "L'été dernier, nous avons visité une très vieille église près de la forêt. Où êtes-vous allés ? "
        "Les élèves ont préparé un goûter à la fin de l'année, et le maître était très étonné.\n"
        "Ça m'a coûté très cher, répondit la dame âgée en souriant à son élève préféré.\n"
    ),
    "spanish": (
        "El niño pequeño soñaba con una montaña mágica. ¿Dónde está la estación? ¡Qué día más extraño! "
        "Mañana por la mañana iremos a la compañía de teléfonos para solucionar el último problema.\n"
    ),
    "russian": (
        "Вчера вечером мы долго гуляли по набережной и говорили о будущем. Погода была тёплая и тихая. "
        "Потом пошёл дождь, и все быстро побежали домой, чтобы не промокнуть.\n"
        "Утром солнце снова светило ярко, а дети играли во дворе с большой собакой.\n"
    ),
    "ukrainian": (
        "Учора ввечері ми довго гуляли набережною й розмовляли про майбутнє. Погода була тепла і тиха. "
        "Потім пішов дощ, і всі швидко побігли додому, щоб не змокнути під холодною зливою.\n"
        "Їжак їв яблука, а її сестра із цікавістю дивилася на нього з ґанку.\n"
    ),
    "polish": (
        "Wczoraj wieczorem długo spacerowaliśmy nad rzeką i rozmawialiśmy o przyszłości. Później zaczął padać deszcz. "
        "Żółta łódź płynęła powoli, a dzieci śmiały się głośno.\n"
        "Następnego dnia świeciło słońce i wszyscy byli szczęśliwi, że mogą wyjść z domu.\n"
    ),
    "czech": (
        "Včera večer jsme se dlouho procházeli po nábřeží a mluvili o budoucnosti. Potom začalo pršet. "
        "Příliš žluťoučký kůň úpěl ďábelské ódy, řekl učitel a děti se smály.\n"
        "Ráno zase svítilo slunce a všichni byli šťastní, že můžou jít ven.\n"
    ),
    "greek": (
        "Χθες το βράδυ περπατήσαμε για πολλή ώρα στην παραλία και μιλήσαμε για το μέλλον. Ο καιρός ήταν ζεστός. "
        "Μετά άρχισε να βρέχει και όλοι έτρεξαν γρήγορα στο σπίτι για να μη βραχούν.\n"
    ),
    "turkish": (
        "Dün akşam uzun süre sahilde yürüdük ve gelecek hakkında konuştuk. Hava sıcak ve çok güzeldi. "
        "Sonra yağmur yağmaya başladı; çocuklar ıslanmamak için hızlıca eve koştular. Öğretmen şaşırdı.\n"
    ),
    "hebrew": (
        "אתמול בערב טיילנו זמן רב לאורך החוף ודיברנו על העתיד. מזג האוויר היה חם ונעים מאוד. "
        "אחר כך התחיל לרדת גשם וכולם רצו מהר הביתה כדי לא להירטב.\n"
    ),
    "arabic": (
        "مشينا أمس مساء طويلا على شاطئ البحر وتحدثنا عن المستقبل. كان الطقس دافئا وهادئا جدا. "
        "ثم بدأ المطر ينزل وركض الجميع بسرعة إلى البيت حتى لا يبتلوا.\n"
    ),
    "japanese": (
        "昨日の夜、私たちは長い間海岸を歩いて、将来について話しました。天気は暖かくて静かでした。"
        "それから雨が降り始めたので、みんな急いで家に帰りました。\n朝になると太陽がまた明るく輝いていました。\n"
    ),
    "chinese": (
        "昨天晚上我们在河边走了很久,谈论了未来的计划。天气温暖而安静。后来开始下雨,大家都赶快跑回家去了。\n"
        "早上太阳又明亮地照耀着,孩子们在院子里和一只大狗玩耍。\n"
    ),
    "taiwanese": (
        "昨天晚上我們在河邊走了很久,談論了未來的計畫。天氣溫暖而安靜。後來開始下雨,大家都趕快跑回家去了。\n"
        "早上太陽又明亮地照耀著,孩子們在院子裡和一隻大狗玩耍。\n"
    ),
    "korean": (
        "어제 저녁에 우리는 오랫동안 강가를 걸으면서 미래에 대해 이야기했습니다. 날씨는 따뜻하고 조용했습니다. "
        "그 후에 비가 내리기 시작해서 모두 빨리 집으로 뛰어갔습니다.\n"
    ),
    "thai": (
        "เมื่อวานตอนเย็นเราเดินเล่นริมทะเลเป็นเวลานานและพูดคุยเกี่ยวกับอนาคต อากาศอบอุ่นและเงียบสงบ "
        "จากนั้นฝนก็เริ่มตกและทุกคนรีบวิ่งกลับบ้าน\n"
    ),
}

WRITTEN_IN = {
    "german": ("cp1252", "latin-1", "iso8859-15", "cp850", "mac-roman", "cp437"),
    "french": ("cp1252", "latin-1", "iso8859-15", "cp850", "mac-roman"),
    "spanish": ("cp1252", "latin-1", "cp850", "mac-roman"),
    "russian": ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic"),
    "ukrainian": ("cp1251", "koi8-u"),
    "polish": ("cp1250", "iso8859-2", "cp852"),
    "czech": ("cp1250", "iso8859-2", "cp852"),
    "greek": ("cp1253", "iso8859-7", "cp737"),
    "turkish": ("cp1254", "iso8859-9", "cp857"),
    "hebrew": ("cp1255", "iso8859-8"),
    "arabic": ("cp1256", "iso8859-6"),
    "japanese": ("shift_jis", "euc_jp", "iso2022_jp", "cp932"),
    "chinese": ("gb18030", "gbk", "gb2312"),
    "taiwanese": ("big5", "big5hkscs"),
    "korean": ("euc_kr", "cp949"),
    "thai": ("cp874", "tis-620"),
}
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
