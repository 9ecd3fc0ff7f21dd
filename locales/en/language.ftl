# The rules of the language: its own name, its separators of numbers, and a moment to the minute (strftime).
language-name = English
language-decimal = .
language-thousands = ,
language-minute = %Y-%m-%d %H:%M
