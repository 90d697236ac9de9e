"""Irregular forms with their base, in several languages, without accents."""

from __future__ import annotations


def _bases(lines: str) -> dict[str, str]:
    """Parse lines of `base: form form ...` into a mapping from form to base."""
    pairs = (line.split(":") for line in lines.strip().splitlines())
    return {form: base.strip() for base, forms in pairs for form in forms.split()}


ENGLISH = _bases(
    """
    go: went gone goes going
    buy: bought
    bring: brought
    think: thought
    catch: caught
    teach: taught
    fight: fought
    seek: sought
    sell: sold
    tell: told
    say: said
    pay: paid
    lay: laid
    make: made
    take: took taken
    shake: shook shaken
    give: gave given
    forgive: forgave forgiven
    come: came
    become: became
    run: ran
    begin: began begun
    swim: swam swum
    sing: sang sung
    ring: rang rung
    drink: drank drunk
    sink: sank sunk
    shrink: shrank shrunk
    write: wrote written
    drive: drove driven
    ride: rode ridden
    rise: rose risen
    speak: spoke spoken
    break: broke broken
    choose: chose chosen
    steal: stole stolen
    freeze: froze frozen
    wake: woke woken
    wear: wore worn
    tear: tore torn
    swear: swore sworn
    bear: bore born borne
    know: knew known
    grow: grew grown
    throw: threw thrown
    blow: blew blown
    draw: drew drawn
    fly: flew flown
    see: saw seen
    eat: ate eaten
    fall: fell fallen
    find: found
    hold: held
    keep: kept
    sleep: slept
    leave: left
    feel: felt
    meet: met
    lead: led
    feed: fed
    lend: lent
    send: sent
    spend: spent
    bend: bent
    build: built
    lose: lost
    win: won
    hear: heard
    stand: stood
    understand: understood
    sit: sat
    hang: hung
    dig: dug
    stick: stuck
    strike: struck
    shoot: shot
    hide: hid hidden
    bite: bitten
    forget: forgot forgotten
    light: lit
    slide: slid
    shine: shone
    mean: meant
    deal: dealt
    learn: learnt
    dream: dreamt
    burn: burnt
    sew: sewn
    show: shown
    prove: proven
    lie: lying
    die: dying died dies
    child: children kid kids
    man: men
    woman: women
    person: people persons
    foot: feet
    tooth: teeth
    mouse: mice
    goose: geese
    wife: wives
    knife: knives
    shelf: shelves
    wolf: wolves
    half: halves
    mom: mother mum mommy mummy mothers
    dad: father daddy papa fathers
    grandma: grandmother granny nana
    grandpa: grandfather granddad grandad
    photo: picture pic pics photograph photos pictures photographs
    good: better best
    bad: worse worst
    bike: bicycle bicycles
    phone: telephone cellphone smartphone
    tv: television telly
    movie: film films movies
    car: automobile automobiles
    doctor: dr doc physician
    birthday: bday
    vacation: holiday holidays vacations
    data: datum
    """
)
GERMAN = _bases(
    """
    geh: ging gingen gegangen gehe geht
    komm: kam kamen gekommen
    seh: sah sahen gesehen sieht
    geb: gab gaben gegeben gibt
    nehm: nahm nahmen genommen nimmt
    ess: ass assen gegessen isst
    trink: trank tranken getrunken
    find: fand fanden gefunden
    sprech: sprach sprachen gesprochen spricht
    treff: traf trafen getroffen trifft
    helf: half halfen geholfen hilft
    les: las lasen gelesen liest
    schreib: schrieb schrieben geschrieben
    bleib: blieb blieben geblieben
    fahr: fuhr fuhren gefahren fahrt
    trag: trug trugen getragen
    lauf: lief liefen gelaufen lauft
    schlaf: schlief schliefen geschlafen
    lass: liess liessen gelassen lasst
    ruf: rief riefen gerufen
    heiss: hiess hiessen geheissen
    halt: hielt hielten gehalten
    fall: fiel fielen gefallen
    lieg: lag lagen gelegen
    sitz: sass sassen gesessen
    steh: stand standen gestanden
    versteh: verstand verstanden
    verlier: verlor verloren
    flieg: flog flogen geflogen
    zieh: zog zogen gezogen umgezogen
    schliess: schloss schlossen geschlossen
    bring: brachte brachten gebracht
    denk: dachte dachten gedacht
    kenn: kannte kannten gekannt
    weiss: wusste wussten gewusst wissen
    renn: rannte rannten gerannt
    sing: sang sangen gesungen
    schwimm: schwamm schwammen geschwommen
    gewinn: gewann gewannen gewonnen
    beginn: begann begannen begonnen
    vergess: vergass vergassen vergessen vergisst
    sterb: starb starben gestorben
    werf: warf warfen geworfen
    mutter: mama mutti
    vater: papa vati
    """
)
FRENCH = _bases(
    """
    all: aller allait allaient alle allee vais irai ira iront allons
    ven: venir viens vient venu venue viennent venait
    pren: prendre prends prend pris prise prennent prenait
    met: mettre mets mis mise mettent mettait
    voir: vois voit vu vue vues voient voyait
    sav: savoir sais sait su savait savent
    pouv: pouvoir peux pu peuvent
    voul: vouloir veux veut voulu veulent voulait
    dev: devoir dois doit doivent devait
    dir: dire dis dit dite disent disait
    ecri: ecrire ecris ecrit ecrite ecrivent ecrivait
    li: lire lis lit lu lue lisent lisait
    boi: boire bois boit bu boivent buvait
    conn: connaitre connais connait connu
    viv: vivre vis vit vecu vivent vivait
    mour: mourir meurt mort morte
    ten: tenir tiens tient tenu tiennent
    part: partir pars part parti partie partent partait
    dorm: dormir dors dort dormi dorment
    ouvr: ouvrir ouvre ouvert ouverte
    perd: perdre perds perd perdu perdue
    attend: attendre attends attendu
    recev: recevoir recois recoit recu recue
    cour: courir cours court couru
    oeil: yeux
    maman: mere
    papa: pere
    travail: travaux travaille travailler travaillait
    """
)
SPANISH = _bases(
    """
    ir: voy vas iba iban ido ire ira
    ven: venir vengo viene vino vinieron venido
    ten: tener tuvo tuve tuvieron tenido tenia tendra
    hac: hizo hice hicieron hecho hacen hago
    dec: decir digo dice dijo dije dijeron dicho
    pon: poner pongo puso puse pusieron puesto
    pod: poder puedo puede pudo pude pudieron
    quer: querer quiero quiere quiso quise querido
    sab: saber se sabe supo supe sabido
    ver: veo ve vio vi visto vieron
    d: dar doy da dio di dado dieron
    tra: traer traigo trajo traje traido
    sal: salir salgo sale salio salido
    dorm: dormir duermo duerme durmio dormido
    mor: morir muere murio muerto muerta
    volv: volver vuelvo vuelve volvio vuelto
    escrib: escribir escribio escrito escrita
    abr: abrir abrio abierto abierta
    romp: romper rompio roto rota
    conduc: conducir conduzco condujo conducido
    ped: pedir pido pide pidio pedido
    sent: sentir siento siente sintio
    encontr: encontrar encuentra encontro encontrado
    perd: perder pierdo pierde perdio perdido
    comenz: comenzar comienza comenzo
    mam: madre mama
    pap: padre papa
    """
)
