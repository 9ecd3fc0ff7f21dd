# The rules of the language: its separators of numbers, a moment to the minute (strftime), a list, parts of a sentence, the end of a sentence, and whether a space may stand between two Han characters.
language-decimal = .
language-thousands = ,
language-minute = %Y-%m-%d %H:%M
language-list = { $first }, { $next }
language-parts = { $first }; { $next }
language-sentence = { $text }.
language-han-spaces = yes
