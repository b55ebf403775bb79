#include "post.h"

#include <string.h>
#include <time.h>

#include "base/memory.h"

// ---- letters ----

sn_letter *sn_letter_make(const void *data, size_t size, bool binary)
{
    sn_letter *letter = sn_allocate(sizeof *letter + SN_LETTER_HEAD + size);
    if (letter != NULL) {
        letter->next = NULL;
        letter->size = size;
        letter->binary = binary;
        if (size > 0) {
            memcpy(letter->bytes + SN_LETTER_HEAD, data, size);
        }
    }
    return letter;
}

void sn_letters_add(sn_letter_list *list, sn_letter *letter)
{
    if (list->last != NULL) {
        list->last->next = letter;
    } else {
        list->first = letter;
    }
    list->last = letter;
    list->count += 1;
    list->bytes += letter->size;
}

sn_letter *sn_letters_take(sn_letter_list *list)
{
    sn_letter *letter = list->first;
    if (letter != NULL) {
        list->first = letter->next;
        list->last = list->first != NULL ? list->last : NULL;
        list->count -= 1;
        list->bytes -= letter->size;
        letter->next = NULL;
    }
    return letter;
}

void sn_letters_free(sn_letter_list *list)
{
    for (sn_letter *letter = NULL; (letter = sn_letters_take(list)) != NULL;) {
        sn_free(letter);
    }
}

// ---- the post ----

bool sn_post_start(sn_post *post)
{
    memset(post, 0, sizeof *post);
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&post->lock, NULL) != 0) {
        return false;
    }
    bool made = pthread_condattr_init(&attributes) == 0;
    if (made) {
        made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&post->come, &attributes) == 0;
        pthread_condattr_destroy(&attributes);
    }
    if (!made) {
        pthread_mutex_destroy(&post->lock);
    }
    return made;
}

void sn_post_end(sn_post *post)
{
    for (int i = 0; i < SN_POST_BOXES; ++i) {
        sn_letters_free(&post->boxes[i].in);
        sn_letters_free(&post->boxes[i].out);
    }
    pthread_cond_destroy(&post->come);
    pthread_mutex_destroy(&post->lock);
}

int sn_post_open(sn_post *post)
{
    int found = -1;
    pthread_mutex_lock(&post->lock);
    for (int i = 0; i < SN_POST_BOXES && found < 0; ++i) {
        if (!post->boxes[i].used) {
            post->boxes[i] = (sn_box){.used = true};
            found = i;
        }
    }
    pthread_cond_signal(&post->come);
    pthread_mutex_unlock(&post->lock);
    return found;
}

void sn_post_close(sn_post *post, int box)
{
    pthread_mutex_lock(&post->lock);
    post->boxes[box].left = true;
    pthread_cond_signal(&post->come);
    pthread_mutex_unlock(&post->lock);
}

bool sn_post_put(sn_post *post, int box, sn_letter *letter)
{
    pthread_mutex_lock(&post->lock);
    sn_letter_list *in = &post->boxes[box].in;
    bool fits = in->count < SN_POST_IN_LETTERS && in->bytes + letter->size <= SN_POST_IN_BYTES;
    if (fits) {
        sn_letters_add(in, letter);
        pthread_cond_signal(&post->come);
    }
    pthread_mutex_unlock(&post->lock);
    if (!fits) {
        sn_free(letter);
    }
    return fits;
}

sn_letter *sn_post_next(sn_post *post, int box, bool *more)
{
    pthread_mutex_lock(&post->lock);
    sn_letter *letter = sn_letters_take(&post->boxes[box].out);
    *more = post->boxes[box].out.first != NULL;
    pthread_mutex_unlock(&post->lock);
    return letter;
}

bool sn_post_is_dropped(sn_post *post, int box)
{
    pthread_mutex_lock(&post->lock);
    bool dropped = post->boxes[box].dropped;
    pthread_mutex_unlock(&post->lock);
    return dropped;
}

bool sn_post_is_waiting(sn_post *post, int box)
{
    pthread_mutex_lock(&post->lock);
    bool waiting = post->boxes[box].out.first != NULL;
    pthread_mutex_unlock(&post->lock);
    return waiting;
}

void sn_post_stop(sn_post *post)
{
    pthread_mutex_lock(&post->lock);
    post->ends = true;
    pthread_cond_signal(&post->come);
    pthread_mutex_unlock(&post->lock);
}
