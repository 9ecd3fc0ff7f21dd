language-decimal = .
language-thousands = ,
language-minute = %Y年%-m月%-d日 %H:%M
language-list = { $first }、{ $next }
language-parts = { $first }；{ $next }
language-sentence = { $text }。
language-han-spaces = no
