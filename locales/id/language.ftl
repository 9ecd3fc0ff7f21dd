language-decimal = ,
language-thousands = .
language-minute = %d/%m/%Y %H.%M
language-list = { $first }, { $next }
language-parts = { $first }; { $next }
language-sentence = { $text }.
language-han-spaces = yes
