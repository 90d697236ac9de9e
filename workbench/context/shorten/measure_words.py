"""Months, weekdays and units as they are written in English, German, French and Spanish."""

from __future__ import annotations

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar janvier enero", "february februar février febrero", "march märz mars marzo",
            "april avril abril", "may mai mayo", "june juni juin junio", "july juli juillet julio",
            "august août agosto", "september septembre septiembre", "october oktober octobre octubre",
            "november novembre noviembre", "december dezember décembre diciembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
UNITS = {
    written: names.split()[0]
    for names in (
        "% percent prozent procent pourcent", "ms millisecond milliseconds millisekunden", "GB gigabytes gigabyte",
        "s sec secs second seconds sekunde sekunden secondes segundos", "min mins minute minutes minuten minutos",
        "h hr hrs hour hours stunde stunden heures horas", "MB megabytes megabyte", "TB terabytes terabyte",
        "KB kB kilobytes kilobyte", "GiB", "MiB", "KiB", "km kilometres kilometers kilometer", "m", "cm", "mm", "kg",
        "g", "mg", "°C", "°F", "$ USD dollar dollars", "€ EUR euro euros", "£ GBP", "¥ JPY", "CHF", "Hz", "kHz", "MHz",
        "GHz", "W", "kW", "kWh", "V", "px", "day days tag tage tagen jour jours día días", "k", "°",
        "week weeks woche wochen semaine semaines semana semanas", "month months monat monate monaten mois mes meses",
        "year years jahr jahre jahren an ans année années año años",
    )
    for written in names.split()
}  # fmt: skip
CALENDAR = {
    word: f"m:{number}" for word, number in MONTHS.items() if word not in ("may", "march", "mars", "mayo")
} | {
    word: f"wd:{number}"
    for number, names in enumerate(
        (
            "monday mondays montag lundi lunes", "tuesday tuesdays dienstag mardi martes",
            "wednesday wednesdays mittwoch mercredi miércoles", "thursday thursdays donnerstag jeudi jueves",
            "friday fridays freitag vendredi viernes", "saturday saturdays samstag sonnabend samedi sábado",
            "sunday sundays sonntag dimanche domingo",
        ),
        start=1,
    )
    for word in names.split()
}  # fmt: skip
"""Months and days by themselves, with a capital letter or without; a few months are other words, too."""
MONTHS |= {
    word: number
    for number, words in enumerate(
        (
            "jan jän janv ene", "feb févr", "mar mär mrz", "apr avr abr", "", "jun", "jul juil", "aug ago",
            "sep sept", "oct okt", "nov", "dec dez déc dic",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
