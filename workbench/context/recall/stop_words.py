"""Stop words of four languages, without accents, as words are compared."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The set of words in a text."""
    return frozenset(text.split())


ENGLISH = words(
    """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can cannot could d did do does doing down during each few for from
    further get gets getting got had has have having he her here hers herself him himself his how i
    if in into is it its itself just ll let m may me might more most my myself no nor not now of off on
    once only or other ought our ours ourselves out over own re really s same shall she should so some
    such t than that the their theirs them themselves then there these they this those through to too under until up
    us ve very was we were what when where which while who whom whose why will with would yeah
    yes you your yours yourself yourselves ok okay please oh hey hi hello well
    """
)
GERMAN = words(
    """
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
    beim bin bis bist bitte da dabei dafur damit danach dann das dass dasselbe dazu dein deine deinem deinen deiner
    deines dem den denn der des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein
    eine einem einen einer eines einig einige einigem einigen einiger einiges einmal er es etwas euch euer eure
    eurem euren eurer fur gegen gewesen hab habe haben hast hat hatte hatten hattest hier hin hinter ich ihm ihn
    ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jetzt kann kannst kein
    keine keinem keinen keiner konnen konnte machen man manche mein meine meinem meinen meiner meines mich mir mit
    mochte muss musste nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner
    seit selbst sich sie sind so solche soll sollte sondern sonst uber um und uns unser unsere unserem unseren
    unserer unter viel vom von vor wann war waren warum was weg weil welche welchem welchen welcher welches wen wenn
    wer werde werden weshalb wie wieder wieso will wir wird wirst wo woher wohin wollen wollte worden wurde wurden
    zu zum zur zwar zwischen mal halt eben
    """
)
FRENCH = words(
    """
    a ai aie aient ainsi alors apres as au aucun aucune aujourd aura aurait aussi autre autres aux avaient avais
    avait avant avec avez avoir avons ayant c ca car ce ceci cela celle celles celui ces cet cette ceux chez ci
    comme comment d dans de deja depuis des donc dont du elle elles en encore entre es est et etaient etais etait
    etant ete etes etre eu eux fait faire fois font furent fut hors il ils j je jusqu l la le les leur leurs lorsqu
    lui ma mais me meme memes mes mien moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus
    pour pourquoi pouvait puis puisqu qu quand que quel quelle quelles quels qui quoi s sa sans se sera serait ses
    seulement si sien sois soit sommes son sont sous suis sur t ta te tes toi ton tous tout toute toutes tres tu un
    une va vers voici voila vos votre vous y etiez combien lequel laquelle oui non merci vas
    """
)
SPANISH = words(
    """
    a al algo alguna algunas alguno algunos ante antes aqui asi aun aunque bien cada casi como con contra cual
    cuales cuando cuanto cuanta cuantos de del desde donde dos durante e el ella ellas ellos en entre era erais eran
    eras eres es esa esas ese eso esos esta estaba estaban estado estais estamos estan estar estas este esto estos
    estoy fue fueron fui ha habia habian habra haber hace hacer hacia han has hasta hay he hemos la las le les lo
    los mas me mi mia mias mientras mio mios mis mucho muchos muy nada ni no nos nosotros nosotras nuestra nuestras
    nuestro nuestros nunca o os otra otras otro otros para pero poco por porque pues que quien quienes se sea sean
    segun ser si sido siempre sin sobre sois solo somos son soy su sus suya suyo tal tambien tampoco tan tanto te
    tenemos tengo tiene tienen tienes toda todas todo todos tu tus tuya tuyo un una uno unos unas usted ustedes va
    vamos van vosotros vuestra vuestro y ya yo
    """
)
# Characters and pairs that ask or connect; the rest of Chinese, Japanese and Korean is left to how rare a pair is.
EAST_ASIAN = words(
    """
    什么 怎么 哪里 哪儿 哪个 哪些 哪天 多少 为什 么时 时候 几个 我们 你们 他们 她们 这个 那个 这些 那些
    可以 一个 没有 不是 就是 还是 已经 现在 因为 所以 但是 如果 请问 是不 有没 吗 呢 的 了 是 我 你 他
    她 它 在 和 也 都 很 吧 啊 就 有 说 什 么 怎 哪 这 那 个 们 不 没 要 会 到 去 来 把 对 从
    给 与 或 再 又 才 得 着 过 之 其 以 为 多 少 天 些 里 时 候 麼 這 個 們 沒 會 來 對 從 給
    與 過 為 時 裡 甚麼 什麼 怎麼 哪裡 為什 麼時 時候 幾個 我們 你們 他們 這個 那個 這些 沒有 還是 已經
    現在 因為 請問 です ます した して ました ある いる する こと もの これ それ どこ いつ だれ なに 何で
    どう から まで
    """
)
